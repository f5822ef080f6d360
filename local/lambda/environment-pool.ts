import { availableParallelism } from "node:os";
import type { ExecutionEnvironment } from "./execution-environment.ts";
import type { Processors } from "./processors.ts";
import type { Semaphore } from "./semaphore.ts";

/** Looked up once: each lookup reads the limits of this process's control groups from files. */
const PROCESSORS = availableParallelism();

/**
 * How long an invocation waits for a busy environment before another one is started, as a part of how long the last
 * start took: a start takes 100 ms of an idle processor, and half a second while others take it too.
 */
const WAIT_AS_PART_OF_START = 0.5;
/**
 * After this time, in ms, an invocation is assumed to wait for something else. Only then does a function get more
 * environments than there are processors: otherwise additional ones would only compete for the processors.
 */
const WAITS_AFTER_MS = 100;
/** The same while the processors are busy, which also slows calls that wait for nothing else. */
const WAITS_AFTER_WHEN_BUSY_MS = 5_000;
/** How many environments of a pool start at once. Those of all pools have a limit in common. */
const MOST_STARTING = 2;
/** How many environments are kept idle while an invocation waits for something else: more like it may follow. */
const SPARE = 2;
/**
 * How long an environment is kept without work, in ms. Lambda keeps one "for some time in anticipation of another
 * invocation" (developer guide, execution environment lifecycle).
 */
const IDLE_MS = 60_000;

interface PoolOptions {
  /** The most environments at a time. */
  readonly most: number;
  /** Shared by all functions: environments that start together delay each other and everything else. */
  readonly starts: Semaphore;
  /** Shared as well, for those that a function has beyond the processors: it waits for something else. */
  readonly furtherStarts: Semaphore;
  readonly processors: Pick<Processors, "areBusy">;
  readonly idleMs?: number | undefined;
  /**
   * @param onEnd to be called when the environment ends without being closed
   * @param hasLowPriority whether there are as many at normal priority as there are processors already
   */
  create(onEnd: (ended: ExecutionEnvironment) => void, hasLowPriority: boolean): ExecutionEnvironment;
}

interface WaitingInvocation {
  /** In ms of `performance.now()`. */
  readonly since: number;
  resolve(environment: ExecutionEnvironment): void;
}

/**
 * The execution environments of a function. An invocation takes an idle one, or waits until one is free or started.
 *
 * Lambda starts another one for each invocation that finds none idle. Here that would take the processors away from the
 * busy ones, which are free again within milliseconds unless the function itself waits. Then the next environments are
 * started before they are needed: on two processors a start takes as long as ten invocations.
 */
export class EnvironmentPool {
  readonly #options: PoolOptions;
  readonly #all = new Set<ExecutionEnvironment>();
  /** When each current invocation began, earliest first, in ms of `performance.now()`. */
  readonly #busySince = new Map<ExecutionEnvironment, number>();
  /**
   * The last one is used first: one at normal priority if there is any, and of those the one that was returned last, so
   * that unnecessary ones stay idle and end.
   */
  readonly #idle: { readonly environment: ExecutionEnvironment; readonly end: NodeJS.Timeout }[] = [];
  readonly #waiting: WaitingInvocation[] = [];
  /** Starts that were begun, some of which wait for others. */
  #starting = 0;
  #loading = 0;
  #startedAt = 0;
  /** How long the last start took, in ms. */
  #startMs = 0;
  #growTimer: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** The environment for one invocation. */
  take(): Promise<ExecutionEnvironment> {
    const idle = this.#idle.pop();
    if (idle) {
      clearTimeout(idle.end);
      this.#occupy(idle.environment);
      return Promise.resolve(idle.environment);
    }
    const { promise, resolve } = Promise.withResolvers<ExecutionEnvironment>();
    this.#waiting.push({ since: performance.now(), resolve });
    this.#grow();
    return promise;
  }

  /** Returns an environment after its invocation. */
  giveBack(environment: ExecutionEnvironment): void {
    this.#busySince.delete(environment);
    if (!this.#all.has(environment)) return;
    if (this.#waiting.length > 0) this.#handOver(environment);
    else this.#rest(environment);
  }

  /** Ends every environment. */
  async close(): Promise<void> {
    for (const { end } of this.#idle) clearTimeout(end);
    await Promise.all([...this.#all].map((environment) => environment.close()));
  }

  #handOver(environment: ExecutionEnvironment): void {
    const next = this.#waiting.shift();
    if (!next) return;
    this.#occupy(environment);
    next.resolve(environment);
  }

  #occupy(environment: ExecutionEnvironment): void {
    this.#busySince.set(environment, performance.now());
    this.#grow();
  }

  /** Starts an environment if one is due, or looks again when it is. */
  #grow(): void {
    clearTimeout(this.#growTimer);
    if (this.#starting === MOST_STARTING) return;
    const left = this.#dueAt() - performance.now();
    if (left <= 0) void this.#start();
    // By then the processors may be less busy.
    else if (left < Number.POSITIVE_INFINITY) {
      this.#growTimer = setTimeout(() => this.#grow(), Math.min(left, WAITS_AFTER_MS));
    }
  }

  /** When another environment is due, in ms of `performance.now()`; infinite if none is. */
  #dueAt(): number {
    if (this.#all.size >= this.#options.most) return Number.POSITIVE_INFINITY;
    const [oldest] = this.#waiting;
    if (oldest && this.#loading < this.#waiting.length) return this.#neededAt(oldest);
    const [longestBusy] = this.#busySince.values();
    const spare = this.#idle.length + this.#loading - this.#waiting.length;
    if (longestBusy === undefined || spare >= SPARE) return Number.POSITIVE_INFINITY;
    return longestBusy + this.#waitsAfter;
  }

  #neededAt({ since }: WaitingInvocation): number {
    if (this.#all.size === 0) return since;
    // The latest one may catch up.
    const waitEndsAt = Math.max(since, this.#startedAt) + WAIT_AS_PART_OF_START * this.#startMs;
    const beyondProcessors = this.#all.size - PROCESSORS;
    const begun = [...this.#busySince.values()][beyondProcessors];
    if (begun === undefined) return waitEndsAt;
    return Math.max(waitEndsAt, begun + this.#waitsAfter);
  }

  get #waitsAfter(): number {
    return this.#options.processors.areBusy() ? WAITS_AFTER_WHEN_BUSY_MS : WAITS_AFTER_MS;
  }

  async #start(): Promise<void> {
    this.#starting += 1;
    await this.#limited(async () => {
      // Others may have become free meanwhile.
      if (this.#dueAt() > performance.now()) return;
      const normal = [...this.#all].filter(({ hasLowPriority }) => !hasLowPriority).length;
      const begunAt = performance.now();
      const environment = this.#options.create((ended) => this.#forget(ended), normal >= PROCESSORS);
      this.#all.add(environment);
      this.#loading += 1;
      const unusable = await environment.loaded;
      this.#startMs = performance.now() - begunAt;
      this.#loading -= 1;
      // Its invocation reports why it could not be loaded.
      if (unusable) this.#handOver(environment);
      else this.giveBack(environment);
    });
    this.#starting -= 1;
    this.#startedAt = performance.now();
    this.#grow();
  }

  /** Runs a start when the limits of starts allow it. */
  #limited(start: () => Promise<void>): Promise<void> {
    const { starts, furtherStarts } = this.#options;
    const others = this.#all.size - this.#loading + this.#starting - 1;
    if (others < PROCESSORS) return starts.run(start);
    return furtherStarts.run(() => starts.run(start));
  }

  #rest(environment: ExecutionEnvironment): void {
    const end = setTimeout(() => {
      this.#remove(environment);
      void environment.close().then(() => this.#forget(environment));
    }, this.#options.idleMs ?? IDLE_MS);
    const normal = this.#idle.findIndex((each) => !each.environment.hasLowPriority);
    const place = environment.hasLowPriority && normal >= 0 ? normal : this.#idle.length;
    this.#idle.splice(place, 0, { environment, end: end.unref() });
  }

  #forget(environment: ExecutionEnvironment): void {
    this.#all.delete(environment);
    this.#busySince.delete(environment);
    this.#remove(environment);
    this.#grow();
  }

  #remove(environment: ExecutionEnvironment): void {
    const index = this.#idle.findIndex((each) => each.environment === environment);
    const [removed] = index < 0 ? [] : this.#idle.splice(index, 1);
    clearTimeout(removed?.end);
  }
}
