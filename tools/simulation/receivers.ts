import type { AttemptResult, Patience } from "#webhooks/delivery/webhook-client";
import { TIMEOUTS } from "#webhooks/endpoints/lane";
import type { ExecutionEnvironment } from "./aws/execution-environment.ts";
import type { Post } from "./history.ts";
import type { Behaviour, Subscriber } from "./operations.ts";
import type { Random } from "./random.ts";
import type { VirtualClock } from "./virtual-clock.ts";

interface Dependencies {
  readonly clock: VirtualClock;
  readonly beginning: number;
  readonly onPost: (post: Post) => void;
}

type Reaction =
  | { readonly afterMs: number; readonly statusCode: number; readonly retryAfter?: number }
  | { readonly afterMs: number; readonly failure: "timeout" | "connection_failed" };

/** The response of an address that belongs to no subscriber. */
const NOBODY: Behaviour = { kind: "gone", from: 0, until: Number.POSITIVE_INFINITY };

/** The receivers of a story. */
export class Receivers {
  readonly #subscribers: readonly Subscriber[];
  readonly #dependencies: Dependencies;

  constructor(subscribers: readonly Subscriber[], dependencies: Dependencies) {
    this.#subscribers = subscribers;
    this.#dependencies = dependencies;
  }

  /** The client with which an execution environment posts. */
  clientOf(environment: ExecutionEnvironment) {
    return {
      post: (
        url: string,
        headers: Readonly<Record<string, string>>,
        body: string,
        patience: Patience,
      ): Promise<AttemptResult> => {
        const attempt = this.#post(environment, url, headers, body, patience);
        const { lateAfter, onLate } = patience;
        if (lateAfter !== undefined && onLate && attempt.durationMs > lateAfter)
          environment.sees(this.#dependencies.clock.delay(lateAfter)).then(onLate);
        return environment.sees(this.#dependencies.clock.delay(attempt.durationMs).then(() => attempt));
      },
    };
  }

  /** The attempt that begins now, with its result. */
  #post(
    { random, eventSource = "" }: ExecutionEnvironment,
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    { timeout }: Patience,
  ): AttemptResult {
    const { clock, beginning, onPost } = this.#dependencies;
    const startedAt = clock.now();
    const [url = ""] = address.split("?");
    const subscriber = this.#subscribers.findIndex((each) => each.url === url);
    const { behaviour } = this.#subscribers[subscriber] ?? { behaviour: NOBODY };
    const since = startedAt - beginning;
    const isWell = address !== url || since < behaviour.from || since >= behaviour.until;
    const { afterMs, ...reaction } = reactionOf(isWell ? "takes all" : behaviour.kind, random);
    const isTimeout = afterMs >= timeout;
    const shortLane = eventSource.includes("SideQueue") ? "side" : "delivery";
    const lane = timeout < TIMEOUTS.retry ? shortLane : "retry";
    const isCut = isTimeout && lane !== "retry";
    const statusCode = !isTimeout && "statusCode" in reaction ? reaction.statusCode : undefined;
    const durationMs = isTimeout ? timeout : afterMs;
    const retryAfter = !isTimeout && "retryAfter" in reaction ? reaction.retryAfter : undefined;
    const outcome = { isCut, statusCode, durationMs, retryAfter };
    onPost({ subscriber, url, address, startedAt, headers, body, lane, ...outcome });
    return isTimeout ? { durationMs, failure: "timeout" } : { durationMs, ...reaction };
  }
}

/**
 * The `Retry-After` of a receiver, in ms. Sometimes it is longer than the most that the service respects, which is a
 * day.
 */
function retryAfter(random: Random): number {
  return random.chance(0.95) ? random.integer(1, 60) * 1000 : 400 * 24 * 60 * 60_000;
}

function reactionOf(kind: Behaviour["kind"], random: Random): Reaction {
  // Sometimes this leaves time for other work to happen in between.
  const afterMs = random.chance(0.2) ? random.integer(500, 5_000) : random.integer(5, 150);
  switch (kind) {
    case "takes all":
      return { afterMs, statusCode: random.pick([200, 202, 204]) };
    case "hangs":
    case "loses its responses":
      return { afterMs: Number.POSITIVE_INFINITY, failure: "timeout" };
    case "fails":
      return random.chance(0.5)
        ? { afterMs, statusCode: random.pick([400, 500, 502]) }
        : { afterMs, failure: "connection_failed" };
    case "unavailable":
      return { afterMs, statusCode: 503, retryAfter: retryAfter(random) };
    case "gone":
      return { afterMs, statusCode: 410 };
    case "redirects":
      return { afterMs, statusCode: 302 };
    case "flaky":
      return random.chance(0.5) ? { afterMs, statusCode: 200 } : { afterMs, statusCode: 500 };
    case "slow":
      return { afterMs: random.integer(3_000, 9_900), statusCode: 204 };
  }
}
