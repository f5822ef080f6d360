import { unmarshall } from "@aws-sdk/util-dynamodb";
import { DAY, HOUR, MINUTE } from "#runtime/durations";
import type { Clients } from "./aws/clients.ts";
import type { ExecutionEnvironment } from "./aws/execution-environment.ts";
import type { Network } from "./aws/network.ts";
import { type BatchCall, type CreateStep, responsesOf, rowsOf } from "./batches.ts";
import { Callers } from "./callers.ts";
import type { Deployment } from "./deployment.ts";
import type { Selection } from "./feed-reader.ts";
import { type FeedAccess, FeedReaders, selectionFrom } from "./feed-readers.ts";
import { Gateway } from "./gateway.ts";
import type { Call, Post } from "./history.ts";
import { damagedReads, deliveryLists, endpointLists, lastReads } from "./last-reads.ts";
import type { Step } from "./operations.ts";
import type { Ending, StoryOutcome } from "./outcome.ts";
import { withVirtualTimers } from "./process-timers.ts";
import { Random } from "./random.ts";
import { SimulatedService } from "./service.ts";
import { StepRequests } from "./step-requests.ts";
import type { Story } from "./story.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** The parts of a story that are left out, to find the minimal one that fails. */
export interface LeftOut {
  readonly steps: ReadonlySet<number>;
  readonly faults: ReadonlySet<number>;
}

export const NOTHING: LeftOut = { steps: new Set(), faults: new Set() };

interface RunOptions {
  readonly leftOut?: LeftOut;
  readonly clientsOf?: (environment: ExecutionEnvironment, network: Network) => Clients;
}

const BEGINNING = Date.parse("2026-06-01T12:00:00.000Z");
/** The time between two removals of expired items, in ms. */
const EXPIRY_MS = 20 * MINUTE;
/** The number of times that a caller sends a request that gets no response, or a 5xx. */
const CALLER_ATTEMPTS = 6;
/** Far more invocations than a story needs: in 2,000 stories the maximum was 9,265. */
const MOST_INVOCATIONS = 20_000;
/**
 * The longest wait for work in progress after the last step, in ms: retries take 91 hours, and can be redriven twice.
 */
const LONGEST_MS = 12 * DAY;

/** The number of the step with which a story ends, after all others. */
const LAST_STEP = 1_000_000;

/** Runs a story to its end. */
export async function simulate(
  deployment: Deployment,
  story: Story,
  options: RunOptions = {},
): Promise<StoryOutcome> {
  const run = new Run(deployment, story, options);
  return run.toItsEnd();
}

class Run {
  readonly #story: Story;
  readonly #leftOut: LeftOut;
  readonly #clock = new VirtualClock(BEGINNING);
  readonly #service: SimulatedService;
  readonly #random: Random;
  readonly #callers: Callers;
  readonly #gateway: Gateway;
  readonly #requests: StepRequests;
  readonly #feedReaders: FeedReaders;
  readonly #access: FeedAccess;
  readonly #calls: Call[] = [];
  readonly #batches: BatchCall[] = [];
  readonly #posts: Post[] = [];
  #underWay = 0;

  constructor(deployment: Deployment, story: Story, { leftOut = NOTHING, clientsOf }: RunOptions) {
    const [clock, random] = [this.#clock, new Random(`run ${story.seed}`)];
    this.#story = story;
    this.#leftOut = leftOut;
    this.#random = random;
    this.#callers = new Callers(random);
    this.#service = new SimulatedService(deployment, {
      clock,
      random: random.fork("service"),
      story,
      beginning: BEGINNING,
      withoutFaults: leftOut.faults,
      onPost: (post) => this.#posts.push(post),
      ...(clientsOf && { clientsOf }),
    });
    this.#gateway = new Gateway({ clock, random, service: this.#service });
    this.#requests = new StepRequests({
      story,
      callers: this.#callers,
      clock,
      beginning: BEGINNING,
      posts: this.#posts,
    });
    this.#access = { story, callers: this.#callers, gateway: this.#gateway, clock };
    this.#feedReaders = this.#newFeedReaders();
  }

  #newFeedReaders(selection?: Selection): FeedReaders {
    return new FeedReaders(this.#access, selection);
  }

  toItsEnd(): Promise<StoryOutcome> {
    return withVirtualTimers(this.#clock, this.#random.fork("process"), () => this.#run());
  }

  async #run(): Promise<StoryOutcome> {
    this.#beginAll();
    await this.#faultyTime();
    await this.#calm();
    const parked = this.#parked();
    await this.#redriveUnknown();
    this.#service.faults.isCalm = true;
    const ending = await this.#ending();
    return {
      ...this.#seen(),
      ...ending,
      parked,
      damagedReads: await damagedReads(this.#access, this.#service),
    };
  }

  #beginAll(): void {
    const steps = this.#story.steps.filter(({ number }) => !this.#leftOut.steps.has(number));
    const expiring = this.#random.fork("expiries");
    for (const { at, share } of this.#story.expiries) {
      this.#clock.after(at, () => this.#service.removeExpired(() => expiring.chance(share)));
    }
    for (const step of steps) {
      this.#begin(step, step.at);
      if (step.again !== undefined) this.#begin(step, step.at + step.again);
    }
    this.#feedReaders.pollAfter(steps, this.#random.fork("feed readers"));
  }

  #begin(step: Step, at: number): void {
    this.#underWay += 1;
    const { operation } = step;
    this.#clock.after(
      at,
      () =>
        void (operation.name === "createBatch"
          ? this.#performBatch(step, rowsOf(step, operation.rows))
          : this.#perform(step)),
    );
  }

  async #ending(): Promise<Omit<Ending, "damagedReads">> {
    const records = await lastReads(this.#access);
    const feeds = await deliveryLists(this.#access, this.#requests.endpoints, this.#random);
    const lastLists = await endpointLists(this.#access);
    const feedReads = await this.#feedReaders.readOn(100);
    const feedRereads = await this.#newFeedReaders().readOn(3);
    const selection = selectionFrom(feedRereads, this.#random.fork("selection"), this.#clock.now());
    const selected = selection.types?.length ? await this.#newFeedReaders(selection).readOn(2) : [];
    return { lastReads: records, feeds, lastLists, feedReads, feedRereads, selection, selected };
  }

  #seen(): Omit<StoryOutcome, keyof Ending | "parked"> {
    return {
      story: this.#story,
      beginning: BEGINNING,
      endedAt: this.#clock.now(),
      calls: this.#calls,
      batches: this.#batches,
      posts: this.#posts,
      writes: [...this.#service.history.writes],
      faults: [...this.#service.faults.injected],
      disturbances: this.#service.faults.disturbances,
      items: [...this.#service.table.items()].map((item) => unmarshall(item)),
      messages: this.#service.leftMessages(),
      failedInvocations: [...this.#service.failedInvocations],
      isQuiet: this.#underWay === 0 && this.#service.isQuiet && !this.#goesRound,
      problems: this.#service.problems,
      handleOf: (person) => this.#callers.stagedIdOf(person),
    };
  }

  /** While faults go on, expired items are removed from time to time. */
  async #faultyTime(): Promise<void> {
    for (let elapsed = 0; elapsed < this.#story.faultsUntil; elapsed += EXPIRY_MS) {
      await this.#clock.run(
        BEGINNING + Math.min(elapsed + EXPIRY_MS, this.#story.faultsUntil),
        () => this.#goesRound,
      );
      this.#service.removeExpired();
    }
  }

  /** Faults have stopped: all work in progress ends, and expired items are removed. */
  async #calm(): Promise<void> {
    const lastAt = BEGINNING + Math.max(...this.#story.steps.map(({ at }) => at), this.#story.faultsUntil);
    const end = Math.max(lastAt, this.#clock.now()) + LONGEST_MS;
    const isAtRest = () => this.#underWay === 0 && this.#service.isQuiet;
    await this.#clock.run(end, () => isAtRest() || this.#goesRound);
    // Notices of writes last for an hour, and DynamoDB removes expired items some time later.
    for (const wait of [2 * HOUR, HOUR]) {
      await this.#clock.run(this.#clock.now() + wait, () => this.#goesRound);
      this.#service.removeExpired();
      // A copy of a message may have arrived late, and wait like any other delivery.
      await this.#clock.run(end, () => this.#service.isQuiet || this.#goesRound);
    }
  }

  #parked(): readonly string[] {
    return [...this.#service.leftMessages()].flatMap(([name, bodies]) =>
      name.includes("UnreadableEvents") ? bodies : [],
    );
  }

  /** A newer version of the code is deployed, which knows the events that were unknown, and they are redriven. */
  async #redriveUnknown(): Promise<void> {
    if (this.#story.faults.unknownEvents === 0) return;
    this.#service.faults.isCalm = true;
    this.#service.knowsAllEvents = true;
    this.#underWay += 1;
    const at = this.#clock.now() - BEGINNING;
    void this.#perform({ number: LAST_STEP, at, operation: { name: "redrive", queue: "events" } });
    await this.#calm();
  }

  /** Whether functions are invoked again and again without end. */
  get #goesRound(): boolean {
    return this.#service.invocations > MOST_INVOCATIONS;
  }

  async #perform(step: Step): Promise<void> {
    const request = this.#requests.of(step);
    for (let attempt = 1; request; attempt++) {
      const { functionName, ifMatch, eventId } = request;
      const call: Call = {
        step,
        functionName,
        startedAt: this.#clock.now(),
        ...(ifMatch !== undefined && { ifMatch }),
        ...(eventId !== undefined && { eventId }),
      };
      this.#calls.push(call);
      const response = await this.#gateway.send(request);
      call.endedAt = this.#clock.now();
      if (response) call.response = response;
      if (response) this.#requests.learn(step, response);
      if ((response && response.status < 500) || attempt === CALLER_ATTEMPTS) break;
      await this.#backOff(attempt);
    }
    this.#underWay -= 1;
  }

  #backOff(attempt: number): Promise<void> {
    return this.#clock.delay(this.#random.integer(200, 1_000) * 2 ** attempt);
  }

  /** Sends the rows, and sends those again that may not have been received. */
  async #performBatch(step: Step, rows: readonly CreateStep[]): Promise<void> {
    let left = rows;
    for (let attempt = 1; left.length > 0 && attempt <= CALLER_ATTEMPTS; attempt++) {
      if (attempt > 1) await this.#backOff(attempt);
      const functionName = "create-candidate-batch";
      const startedAt = this.#clock.now();
      const calls = left.map((row): Call => ({ step: row, functionName, startedAt }));
      this.#calls.push(...calls);
      const response = await this.#gateway.send(this.#requests.ofBatch(left));
      this.#batches.push({ step, rows: left, response });
      const responses = responsesOf(calls, response);
      for (const [index, call] of calls.entries()) {
        const its = responses[index];
        call.endedAt = this.#clock.now();
        if (its) call.response = its;
      }
      left = left.filter((_, index) => (responses[index]?.status ?? 500) >= 500);
    }
    this.#underWay -= 1;
  }
}
