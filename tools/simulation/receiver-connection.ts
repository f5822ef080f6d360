import type { Dispatcher } from "undici";
import { rememberBrokenOnReuse } from "#webhooks/delivery/reused-connections";
import type { ExecutionEnvironment } from "./aws/execution-environment.ts";
import type { Random } from "./random.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** How a receiver responds to a post: when, and with what; `never`, if the client waits in vain. */
export type Reaction =
  | {
      readonly kind: "response";
      readonly afterMs: number;
      readonly statusCode: number;
      readonly retryAfter?: number;
    }
  | { readonly kind: "connection breaks"; readonly afterMs: number }
  | { readonly kind: "never" };

/** The body of a response: how long each of its pieces takes, their size, and how it ends. */
interface Body {
  readonly pieces: number;
  readonly bytes: number;
  readonly everyMs: number;
  readonly end: "complete" | "breaks off";
}

/** Only the headers matter to the service. A body may be long, slow or incomplete. */
const BODIES: Readonly<Record<string, Body & { readonly weight: number }>> = {
  none: { weight: 60, pieces: 0, bytes: 0, everyMs: 0, end: "complete" },
  short: { weight: 15, pieces: 1, bytes: 200, everyMs: 1, end: "complete" },
  long: { weight: 9, pieces: 5, bytes: 8_192, everyMs: 5, end: "complete" },
  slow: { weight: 8, pieces: 3, bytes: 100, everyMs: 700, end: "complete" },
  broken: { weight: 8, pieces: 1, bytes: 100, everyMs: 20, end: "breaks off" },
};
const WEIGHTS = Object.fromEntries(Object.entries(BODIES).map(([name, { weight }]) => [name, weight]));
/** The share of posts on a connection that the receiver has closed as idle, and how soon it breaks, in ms. */
const BROKEN_ON_REUSE = { share: 0.03, afterMs: 2 };
/** The share of responses that an interim response precedes. */
const INTERIM = 0.05;

interface Dependencies {
  readonly clock: VirtualClock;
  readonly environment: ExecutionEnvironment;
  /** The reaction to a post that arrives now. */
  react(address: string, headers: Readonly<Record<string, string>>, body: string): Reaction;
}

/** The connection on which the service's own client makes one attempt, in place of undici's. */
export class ReceiverConnection {
  readonly #dependencies: Dependencies;
  #isUsed = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  dispatch(
    { origin, path, headers, body }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const { environment, clock, react } = this.#dependencies;
    const exchange = new Exchange(handler, clock);
    const isBroken = !this.#isUsed && environment.random.chance(BROKEN_ON_REUSE.share);
    this.#isUsed = true;
    if (isBroken) {
      const error = connectionReset();
      rememberBrokenOnReuse(error);
      // Only a process that runs sends the post once more.
      void environment.sees(clock.delay(BROKEN_ON_REUSE.afterMs)).then(() => exchange.abort(error));
      return true;
    }
    exchange.play(
      react(`${origin}${path}`, headers as Record<string, string>, String(body)),
      environment.random,
    );
    return true;
  }

  async destroy(): Promise<void> {}
}

/** One request and its response, as undici reports it. */
class Exchange implements Dispatcher.DispatchController {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #clock: VirtualClock;
  readonly paused = false;
  reason: Error | null = null;
  #hasEnded = false;

  constructor(handler: Dispatcher.DispatchHandler, clock: VirtualClock) {
    this.#handler = handler;
    this.#clock = clock;
    handler.onRequestStart?.(this, {});
  }

  get aborted(): boolean {
    return this.reason !== null;
  }

  abort(reason: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.reason = reason;
    this.#handler.onResponseError?.(this, reason);
  }

  pause(): void {}

  resume(): void {}

  play(reaction: Reaction, random: Random): void {
    if (reaction.kind === "never") return;
    const body = BODIES[random.weighted(WEIGHTS)] as Body;
    const isPreceded = random.chance(INTERIM);
    this.#clock.after(reaction.afterMs, () => {
      if (this.#hasEnded) return;
      if (reaction.kind === "connection breaks") return this.abort(connectionReset());
      const { statusCode, retryAfter } = reaction;
      const headers = retryAfter === undefined ? {} : { "retry-after": String(Math.ceil(retryAfter / 1000)) };
      if (isPreceded) this.#handler.onResponseStart?.(this, 103, {});
      this.#handler.onResponseStart?.(this, statusCode, headers);
      this.#playBody(body, 0);
    });
  }

  #playBody(body: Body, piece: number): void {
    if (this.#hasEnded) return;
    if (piece < body.pieces) {
      this.#handler.onResponseData?.(this, Buffer.alloc(body.bytes));
      this.#clock.after(body.everyMs, () => this.#playBody(body, piece + 1));
    } else if (body.end === "breaks off") {
      this.abort(connectionReset());
    } else {
      this.#hasEnded = true;
      this.#handler.onResponseEnd?.(this, {});
    }
  }
}

function connectionReset(): Error {
  return Object.assign(new Error("The connection broke."), { code: "ECONNRESET" });
}
