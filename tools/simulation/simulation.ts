import { unmarshall } from "@aws-sdk/util-dynamodb";
import { canonicalIdOf, handleOf, stagedIdOf } from "#candidates/handles";
import { EVENT_TYPES } from "#contract/events";
import { Organisation } from "#contract/organisation";
import type { Clients } from "./aws/clients.ts";
import type { ExecutionEnvironment } from "./aws/execution-environment.ts";
import type { Network } from "./aws/network.ts";
import { type BatchCall, type CreateStep, responsesOf, rowsOf } from "./batches.ts";
import type { Deployment } from "./deployment.ts";
import { type FeedRead, FeedReader, type Selection } from "./feed-reader.ts";
import type { Call, Post, Response } from "./history.ts";
import type { HandleKind, Operation, Person, Step } from "./operations.ts";
import { withVirtualTimers } from "./process-timers.ts";
import { Random } from "./random.ts";
import {
  amendmentOf,
  type Caller,
  markOf,
  platformAssessmentOf,
  proxyEvent,
  type Request,
  reasonsOf,
  submissionOf,
} from "./requests.ts";
import { type InjectedFault, SimulatedService, type TableWrite } from "./service.ts";
import type { Story } from "./story.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** The parts of a story that are left out, to find the minimal one that fails. */
export interface LeftOut {
  readonly steps: ReadonlySet<number>;
  readonly faults: ReadonlySet<number>;
}

export const NOTHING: LeftOut = { steps: new Set(), faults: new Set() };

/** What is read at the end of a story, when all has come to rest. */
interface Ending {
  /** Each person's record at the end, by handle and by externalId. */
  readonly lastReads: readonly {
    readonly person: number;
    readonly byHandle: Response;
    readonly byExternalId: Response;
  }[];
  /** The pages of each endpoint's list of deliveries at the end. */
  readonly feeds: readonly Feed[];
  /** The endpoints that each organisation lists at the end. */
  readonly lastLists: readonly { readonly orgId: string; readonly endpoints: unknown }[];
  /** What a reader received that followed the cursor of each organisation's event feed from the beginning. */
  readonly feedReads: readonly FeedRead[];
  /** What a reader that starts at the oldest event receives at the end. */
  readonly feedRereads: readonly FeedRead[];
  /** What a reader asks for at the end that wants some events only, and what it receives. */
  readonly selection: Selection;
  readonly selected: readonly FeedRead[];
  /** The responses to reads of records whose parts were damaged at the end. */
  readonly damagedReads: readonly { readonly person: number; readonly response: Response }[];
}

/** The outcome of a story: everything that can be observed, from outside and from inside the service. */
export interface StoryOutcome extends Ending {
  readonly story: Story;
  readonly beginning: number;
  readonly endedAt: number;
  /** Each row of a batch has its own calls, as if it had been created alone. */
  readonly calls: readonly Call[];
  readonly batches: readonly BatchCall[];
  readonly posts: readonly Post[];
  readonly writes: readonly TableWrite[];
  readonly faults: readonly InjectedFault[];
  /** The number of disturbances. It is higher than the number of faults if a fault is persistent. */
  readonly disturbances: number;
  /** The items of the table at the end. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** The bodies of the messages that are left in each queue. */
  readonly messages: ReadonlyMap<string, readonly string[]>;
  /** The bodies of what was parked, before code that can read it put it back. */
  readonly parked: readonly string[];
  /** Invocations that ended with an error. */
  readonly failedInvocations: SimulatedService["failedInvocations"];
  readonly isQuiet: boolean;
  /** Faults of the simulation itself. */
  readonly problems: readonly unknown[];
  /** A person's `stagedId`. */
  readonly handleOf: (person: Person) => string;
}

/** The deliveries of an endpoint, with any status or with a given one, in the order of the pages. */
interface Feed {
  readonly endpointId: string;
  readonly status: string | undefined;
  readonly deliveries: readonly Readonly<Record<string, unknown>>[];
}

interface RunOptions {
  readonly leftOut?: LeftOut;
  readonly clientsOf?: (environment: ExecutionEnvironment, network: Network) => Clients;
}

const BEGINNING = Date.parse("2026-06-01T12:00:00.000Z");
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The time between two removals of expired items, in ms. */
const EXPIRY_MS = 20 * MINUTE;
/** The number of times that a caller sends a request that gets no response, or a 5xx. */
const CALLER_ATTEMPTS = 6;
/** How far back a recovery of the last events begins, in ms. */
const RECENTLY_MS = 10 * SECOND;
/** A reader of an event feed makes two requests after each step, each within one of these times, in ms. */
const FEED_POLLS_MS = [3 * SECOND, 20 * SECOND];
/** The feed has every event of this time, in ms: 29 days. */
const SELECTED_MS = 29 * 24 * HOUR;
/** API Gateway's integration timeout, in ms (Amazon API Gateway quotas). */
const GATEWAY_TIMEOUT_MS = 29 * SECOND;
/** Far more deliveries than a story has: a list with more than this is endless. */
const MOST_DELIVERIES = 2_000;
/** Far more invocations than a story needs: in 400 stories the maximum was 3,900. */
const MOST_INVOCATIONS = 50_000;
/**
 * The longest wait for work in progress after the last step, in ms: retries take 91 hours, and can be redriven twice.
 */
const LONGEST_MS = 12 * 24 * HOUR;

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
  readonly #calls: Call[] = [];
  readonly #batches: BatchCall[] = [];
  readonly #posts: Post[] = [];
  readonly #callers: ReadonlyMap<string, Caller>;
  /** The newest endpoint of each subscriber, from the response to its registration. */
  readonly #endpoints = new Map<number, string>();
  readonly #etags = new Map<number, string>();
  readonly #feedReaders: readonly FeedReader[];
  #underWay = 0;
  #requests = 0;

  constructor(deployment: Deployment, story: Story, { leftOut = NOTHING, clientsOf }: RunOptions) {
    this.#story = story;
    this.#leftOut = leftOut;
    this.#random = new Random(`run ${story.seed}`);
    this.#callers = new Map(
      ["acme", "globex"].map((orgId) => {
        const handleKey = Buffer.from(this.#random.fork(orgId).bytes(32)).toString("base64url");
        return [orgId, { organisation: Organisation.parse({ orgId, handleKey }), handleKey }];
      }),
    );
    this.#service = new SimulatedService(deployment, {
      clock: this.#clock,
      random: this.#random.fork("service"),
      story,
      beginning: BEGINNING,
      withoutFaults: leftOut.faults,
      onPost: (post) => this.#posts.push(post),
      ...(clientsOf && { clientsOf }),
    });
    this.#feedReaders = this.#newFeedReaders();
  }

  #newFeedReaders(selection: Selection = {}): FeedReader[] {
    return [...new Set(this.#story.people.map(({ orgId }) => orgId))].map(
      (orgId) =>
        new FeedReader(
          orgId,
          (query) => this.#send(this.#api(orgId, "list-events", { query })),
          () => this.#clock.now(),
          selection,
        ),
    );
  }

  /** Some event types, since the time of one of the events that a feed has, or from the oldest event on. */
  #selection(feeds: readonly FeedRead[]): Selection {
    const random = this.#random.fork("selection");
    const recent = feeds
      .flatMap(({ events }) => events.map(({ occurredAt }) => occurredAt))
      .filter((occurredAt) => Date.parse(occurredAt) > this.#clock.now() - SELECTED_MS);
    const types = EVENT_TYPES.filter(() => random.chance(0.5));
    return { types, ...(recent.length > 0 && random.chance(0.7) && { since: random.pick(recent) }) };
  }

  /** Each reader requests a page soon after each step, when events are about to be published. */
  #pollFeeds(steps: readonly Step[]): void {
    const random = this.#random.fork("feed readers");
    for (const reader of this.#feedReaders) {
      for (const { at } of steps) {
        for (const wait of FEED_POLLS_MS) {
          const limit = random.pick([1, 3, 100]);
          this.#clock.after(at + random.integer(0, wait), () => void reader.poll(limit));
        }
      }
    }
  }

  async #readOn(readers: readonly FeedReader[], limit: number): Promise<readonly FeedRead[]> {
    for (const reader of readers) {
      let isDone = false;
      void reader.readOn(limit).then(() => {
        isDone = true;
      });
      await this.#clock.run(this.#clock.now() + HOUR, () => isDone);
    }
    return readers;
  }

  toItsEnd(): Promise<StoryOutcome> {
    return withVirtualTimers(this.#clock, this.#random.fork("process"), () => this.#run());
  }

  async #run(): Promise<StoryOutcome> {
    const steps = this.#story.steps.filter(({ number }) => !this.#leftOut.steps.has(number));
    const expiring = this.#random.fork("expiries");
    for (const { at, share } of this.#story.expiries) {
      this.#clock.after(at, () => this.#service.removeExpired(() => expiring.chance(share)));
    }
    for (const step of steps) {
      this.#begin(step, step.at);
      if (step.again !== undefined) this.#begin(step, step.at + step.again);
    }
    this.#pollFeeds(steps);
    await this.#faultyTime();
    await this.#calm();
    const parked = this.#parked();
    await this.#redriveUnknown();
    const lastReads = await this.#lastReads();
    const feeds = await this.#feeds();
    const lastLists = await this.#lastLists();
    const feedReads = await this.#readOn(this.#feedReaders, 100);
    const feedRereads = await this.#readOn(this.#newFeedReaders(), 3);
    const selection = this.#selection(feedRereads);
    const selected = selection.types?.length ? await this.#readOn(this.#newFeedReaders(selection), 2) : [];
    const seen = this.#seen();
    return {
      ...seen,
      parked,
      lastReads,
      feeds,
      lastLists,
      feedReads,
      feedRereads,
      selection,
      selected,
      damagedReads: await this.#damagedReads(),
    };
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

  #seen(): Omit<StoryOutcome, keyof Ending | "parked"> {
    return {
      story: this.#story,
      beginning: BEGINNING,
      endedAt: this.#clock.now(),
      calls: this.#calls,
      batches: this.#batches,
      posts: this.#posts,
      writes: [...this.#service.writes],
      faults: [...this.#service.faults],
      disturbances: this.#service.disturbances,
      items: [...this.#service.table.items()].map((item) => unmarshall(item)),
      messages: this.#service.leftMessages(),
      failedInvocations: [...this.#service.failedInvocations],
      isQuiet: this.#underWay === 0 && this.#service.isQuiet && !this.#goesRound,
      problems: this.#service.problems,
      handleOf: (person) => this.#stagedId(person),
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
      await this.#clock.run(this.#clock.now() + wait);
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
    this.#service.isCalm = true;
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
    const request = this.#requestOf(step);
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
      const response = await this.#send(request);
      call.endedAt = this.#clock.now();
      if (response) call.response = response;
      if (response) this.#learn(step, response);
      if ((response && response.status < 500) || attempt === CALLER_ATTEMPTS) break;
      await this.#clock.delay(this.#random.integer(200, 1_000) * 2 ** attempt);
    }
    this.#underWay -= 1;
  }

  /** Sends the rows, and sends those again that may not have been received. */
  async #performBatch(step: Step, rows: readonly CreateStep[]): Promise<void> {
    let left = rows;
    for (let attempt = 1; left.length > 0 && attempt <= CALLER_ATTEMPTS; attempt++) {
      if (attempt > 1) await this.#clock.delay(this.#random.integer(200, 1_000) * 2 ** attempt);
      const functionName = "create-candidate-batch";
      const startedAt = this.#clock.now();
      const calls = left.map((row): Call => ({ step: row, functionName, startedAt }));
      this.#calls.push(...calls);
      const response = await this.#send(this.#batchRequest(left));
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

  #batchRequest(rows: readonly CreateStep[]): Request {
    const people = rows.map(({ operation }) => this.#story.people[operation.person] as Person);
    const candidates = rows.map((row, index) => submissionOf(people[index] as Person, row, row.operation));
    return this.#api(people[0]?.orgId ?? "", "create-candidate-batch", { body: { candidates } });
  }

  /** @returns undefined when the caller gets no response */
  async #send({ functionName, event, isOfApi }: Request): Promise<Response | undefined> {
    await this.#clock.delay(this.#random.integer(1, 20));
    if (this.#service.happensToCaller("request lost")) return undefined;
    const result = await this.#withinGatewayTimeout(this.#service.invoke(functionName, event), isOfApi);
    await this.#clock.delay(this.#random.integer(1, 20));
    if (this.#service.happensToCaller("response lost")) return undefined;
    if (!result) return { status: 504, headers: {}, body: {} };
    const payload = JSON.parse(result.payload);
    if (!isOfApi) return ofPrivateFunction(payload, result.functionError !== undefined);
    if (result.functionError) return { status: 500, headers: {}, body: payload };
    return {
      status: payload.statusCode,
      headers: payload.headers ?? {},
      body: payload.body ? JSON.parse(payload.body) : undefined,
    };
  }

  #withinGatewayTimeout<Result>(invocation: Promise<Result>, isOfApi: boolean): Promise<Result | undefined> {
    if (!isOfApi) return invocation;
    return Promise.race([invocation, this.#clock.delay(GATEWAY_TIMEOUT_MS).then(() => undefined)]);
  }

  /** Stores the parts of a response that later steps need. */
  #learn({ operation }: Step, { status, headers, body }: Response): void {
    if (status >= 300) return;
    if (operation.name === "register") this.#endpoints.set(operation.subscriber, (body as { id: string }).id);
    if ("person" in operation && headers["ETag"]) this.#etags.set(operation.person, headers["ETag"]);
  }

  /** @returns undefined when the step has nothing to work with yet */
  #requestOf(step: Step): Request | undefined {
    const { operation } = step;
    if ("person" in operation)
      return this.#requestAbout(this.#story.people[operation.person] as Person, step);
    if ("subscriber" in operation) return this.#endpointRequest(step);
    switch (operation.name) {
      case "redrive":
        return privately("redrive-dead-letters", { queue: operation.queue });
      case "rotateKeyring":
        return privately("rotate-keyring", {});
      case "reseal":
        return privately("reseal-signing-secrets", {});
      default:
        return undefined;
    }
  }

  #requestAbout(person: Person, step: Step): Request | undefined {
    const { operation } = step;
    const stagedId = this.#stagedId(person);
    const named = (by: HandleKind) =>
      by === "id" ? canonicalIdOf(stagedId.replace("staged_", "")) : stagedId;
    const { orgId } = person;
    const api = (functionName: string, request: Parameters<typeof proxyEvent>[2]) =>
      this.#api(orgId, functionName, request);
    switch (operation.name) {
      case "create":
        return api("create-candidate", { body: submissionOf(person, step, operation) });
      case "amend": {
        const etag = operation.ifMatch && this.#etags.get(operation.person);
        return api("amend-candidate", {
          id: named(operation.by),
          body: amendmentOf(person, step, operation),
          ...(etag && { headers: { "If-Match": etag } }),
        });
      }
      case "amendNothing": {
        const etag = this.#etags.get(operation.person);
        return etag === undefined
          ? undefined
          : api("amend-candidate", { id: stagedId, body: {}, headers: { "If-Match": etag } });
      }
      case "get":
        return api("get-candidate", { id: named(operation.by) });
      case "find":
        return api("find-candidate", { query: { externalId: person.externalId } });
      case "requestErasure":
        return api("request-erasure", { id: stagedId, body: { externalId: person.externalId } });
      case "advance": {
        const { transition, reason, isLong = false } = operation;
        const reasons = reason && reasonsOf(reason, isLong);
        return privately("advance-candidate", {
          orgId,
          handle: stagedId,
          transition,
          ...(reasons && { reasons }),
        });
      }
      case "intrude":
        return this.#intrusion(operation.with, stagedId, person, step);
      case "score":
        return privately("advance-candidate", {
          orgId,
          handle: stagedId,
          transition: "score",
          score: operation.score,
        });
      case "assess":
        return privately("advance-candidate", {
          orgId,
          handle: stagedId,
          transition: "assess",
          assessment: platformAssessmentOf(operation),
        });
      default:
        return undefined;
    }
  }

  #intrusion(kind: "get" | "amend" | "requestErasure", id: string, person: Person, step: Step): Request {
    const stranger = person.orgId === "acme" ? "globex" : "acme";
    switch (kind) {
      case "get":
        return this.#api(stranger, "get-candidate", { id });
      case "amend":
        return this.#api(stranger, "amend-candidate", {
          id,
          body: { headline: `${markOf(person, step)}headline` },
        });
      case "requestErasure":
        return this.#api(stranger, "request-erasure", { id, body: { externalId: person.externalId } });
    }
  }

  #endpointRequest({ operation, number }: Step): Request | undefined {
    if (!("subscriber" in operation)) return undefined;
    const { orgId, url } = this.#story.subscribers[operation.subscriber] as Story["subscribers"][number];
    if (operation.name === "register") {
      const { eventTypes } = operation;
      return this.#api(orgId, "create-webhook-endpoint", {
        body: { url, eventTypes, description: `step ${number}` },
      });
    }
    const id = this.#endpoints.get(operation.subscriber);
    if (id === undefined) return undefined;
    switch (operation.name) {
      case "update":
        return this.#api(orgId, "update-webhook-endpoint", {
          id,
          body: {
            ...(operation.active !== undefined && { active: operation.active }),
            ...(operation.isMoved && { url: `${url}?moved` }),
            ...(operation.eventTypes && { eventTypes: operation.eventTypes }),
          },
        });
      case "delete":
        return this.#api(orgId, "delete-webhook-endpoint", { id });
      case "rotateSecret":
        return this.#api(orgId, "rotate-signing-secret", { id });
      case "test":
        return this.#api(orgId, "test-webhook-endpoint", { id });
      case "recover":
        return this.#recoveryRequest(orgId, id, operation);
      case "resend": {
        const eventId = this.#eventsPostedTo(url).at(-1 - operation.back);
        return eventId === undefined
          ? undefined
          : this.#api(orgId, "resend-webhook-delivery", { id, eventId });
      }
    }
  }

  #recoveryRequest(
    orgId: string,
    id: string,
    { since, isPast, eventTypes }: Extract<Operation, { name: "recover" }>,
  ): Request {
    const recently = this.#clock.now() - RECENTLY_MS;
    const request = {
      ...(isPast && { until: new Date(recently + RECENTLY_MS / 2).toISOString() }),
      ...(eventTypes && { eventTypes }),
    };
    if (since === "inactivity") return privately("recover-deliveries", { orgId, endpointId: id, ...request });
    const from = since === "beginning" ? BEGINNING - SECOND : recently;
    return this.#api(orgId, "start-recovery", {
      id,
      body: { since: new Date(from).toISOString(), ...request },
    });
  }

  #api(orgId: string, functionName: string, request: Parameters<typeof proxyEvent>[2]): Request {
    this.#requests += 1;
    const event = proxyEvent(this.#callers.get(orgId) as Caller, `request-${this.#requests}`, request);
    const { eventId, headers } = request;
    const ifMatch = headers?.["If-Match"];
    return {
      functionName,
      event,
      isOfApi: true,
      ...(ifMatch !== undefined && { ifMatch }),
      ...(eventId !== undefined && { eventId }),
    };
  }

  /** The ids of the events in the order of their first attempts at an address. */
  #eventsPostedTo(url: string): string[] {
    const posts = this.#posts.filter((post) => post.url === url);
    return [...new Set(posts.flatMap(({ headers }) => headers["X-RR-Event-Id"] ?? []))];
  }

  #stagedId({ orgId, externalId }: Person): string {
    const { organisation } = this.#callers.get(orgId) as Caller;
    return stagedIdOf(handleOf(organisation, externalId).digest);
  }

  async #lastReads(): Promise<StoryOutcome["lastReads"]> {
    this.#service.isCalm = true;
    const reads: { person: number; byHandle: Response; byExternalId: Response }[] = [];
    for (const [person, each] of this.#story.people.entries()) {
      const [byHandle, byExternalId] = await Promise.all([
        this.#read(this.#api(each.orgId, "get-candidate", { id: this.#stagedId(each) })),
        this.#read(this.#api(each.orgId, "find-candidate", { query: { externalId: each.externalId } })),
      ]);
      reads.push({ person, byHandle, byExternalId });
    }
    return reads;
  }

  async #feeds(): Promise<StoryOutcome["feeds"]> {
    const feeds: Feed[] = [];
    for (const [subscriber, endpointId] of this.#endpoints) {
      const { orgId } = this.#story.subscribers[subscriber] as Story["subscribers"][number];
      for (const status of [undefined, "delivered", this.#random.pick(["pending", "failed", "dropped"])]) {
        const deliveries = await this.#feedOf(orgId, endpointId, status);
        if (deliveries) feeds.push({ endpointId, status, deliveries });
      }
    }
    return feeds;
  }

  /** @returns undefined when the endpoint is deleted */
  async #feedOf(
    orgId: string,
    id: string,
    status: string | undefined,
  ): Promise<Feed["deliveries"] | undefined> {
    const deliveries: Feed["deliveries"][number][] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: "3", ...(cursor && { cursor }), ...(status && { status }) };
      const page = await this.#read(this.#api(orgId, "list-webhook-deliveries", { id, query }));
      if (page.status !== 200) return undefined;
      const { data, nextCursor } = page.body as { data: Feed["deliveries"]; nextCursor?: string };
      deliveries.push(...data);
      cursor = nextCursor;
    } while (cursor !== undefined && deliveries.length < MOST_DELIVERIES);
    return deliveries;
  }

  async #lastLists(): Promise<StoryOutcome["lastLists"]> {
    const lists: { orgId: string; endpoints: unknown }[] = [];
    for (const orgId of new Set(this.#story.subscribers.map((each) => each.orgId))) {
      const { body } = await this.#read(this.#api(orgId, "list-webhook-endpoints", {}));
      lists.push({ orgId, endpoints: (body as { data?: unknown } | undefined)?.data });
    }
    return lists;
  }

  async #damagedReads(): Promise<StoryOutcome["damagedReads"]> {
    const reads: { person: number; response: Response }[] = [];
    for (const [person, each] of this.#story.people.entries()) {
      if (!this.#service.damageParts(this.#stagedId(each).replace("staged_", ""))) continue;
      const response = await this.#read(this.#api(each.orgId, "get-candidate", { id: this.#stagedId(each) }));
      reads.push({ person, response });
    }
    return reads;
  }

  async #read(request: Request): Promise<Response> {
    let response: Response | undefined;
    void this.#send(request).then((got) => {
      response = got;
    });
    await this.#clock.run(this.#clock.now() + HOUR, () => response !== undefined);
    return response ?? { status: 0, headers: {}, body: undefined };
  }
}

function privately(functionName: string, event: unknown): Request {
  return { functionName, event, isOfApi: false };
}

/** The errors of the domain, by name, with the status that each has in the API. */
const REFUSALS: Readonly<Record<string, number>> = {
  invalid_request: 400,
  events_expired: 400,
  not_found: 404,
  consent_revoked: 404,
  payload_too_large: 413,
};

function ofPrivateFunction(payload: unknown, hasFailed: boolean): Response {
  if (!hasFailed) return { status: 200, headers: {}, body: payload };
  const { errorType } = payload as { errorType: string };
  return { status: REFUSALS[errorType] ?? 500, headers: {}, body: payload };
}
