import type { Runtime } from "#runtime/runtime";
import type { Random } from "../random.ts";
import type { VirtualClock } from "../virtual-clock.ts";

interface Dependencies {
  readonly id: string;
  readonly clock: VirtualClock;
  readonly random: Random;
  /** How far its clock is ahead, in ms. */
  readonly clockOffset: number;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Where an instance of a function runs. Between invocations it is frozen: what it waits for reaches it when it is
 * thawed. When it has ended nothing reaches it any more, and whoever holds it forgets it.
 */
export class ExecutionEnvironment {
  readonly id: string;
  readonly random: Random;
  readonly runtime: Runtime;
  /** The X-Ray trace header of the invocation that it works on. */
  traceHeader: string | undefined;
  /** The ARN of the queue or stream whose records it works on. */
  eventSource: string | undefined;
  /** Runs when it ends. */
  onEnd: () => void = () => {};
  #state: "running" | "frozen" | "ended" = "running";
  readonly #held: (() => void)[] = [];

  constructor({ id, clock, random, clockOffset, variables }: Dependencies) {
    this.id = id;
    this.random = random;
    const ownRandom = random.fork("own");
    this.runtime = {
      variables,
      now: () => new Date(clock.now() + clockOffset),
      random: () => ownRandom.real(),
      randomBytes: (size) => ownRandom.bytes(size),
      wait: (ms) => this.sees(clock.delay(ms)),
    };
  }

  get hasEnded(): boolean {
    return this.#state === "ended";
  }

  freeze(): void {
    if (this.#state === "running") this.#state = "frozen";
  }

  thaw(): void {
    if (this.#state !== "frozen") return;
    this.#state = "running";
    for (const run of this.#held.splice(0)) run();
  }

  end(): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#held.splice(0);
    this.onEnd();
  }

  /** What comes of a promise of the outside, as the environment sees it. */
  sees<Result>(outside: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      outside.then(
        (result) => this.#whenRunning(() => resolve(result)),
        (error: unknown) => this.#whenRunning(() => reject(error)),
      );
    });
  }

  #whenRunning(run: () => void): void {
    if (this.#state === "running") run();
    else if (this.#state === "frozen") this.#held.push(run);
  }
}
