import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { InvocationResult } from "../../local/lambda/execution-environment.ts";
import { type Clients, plainClients } from "./aws/clients.ts";
import type { ExecutionEnvironment } from "./aws/execution-environment.ts";
import { Network, type NetworkFault, type ServiceRequest } from "./aws/network.ts";
import { SimulatedQueueSource } from "./aws/queue-source.ts";
import { SimulatedQueues } from "./aws/queues.ts";
import { SimulatedSchedule } from "./aws/schedule.ts";
import { SimulatedSecrets } from "./aws/secrets.ts";
import { SimulatedFunction } from "./aws/simulated-function.ts";
import { SimulatedStreamSource } from "./aws/stream-source.ts";
import { SimulatedStreams } from "./aws/streams.ts";
import { asKnown } from "./aws/unknown-events.ts";
import type { Deployment } from "./deployment.ts";
import { SimulatedTable } from "./dynamodb/simulated-table.ts";
import type { FailedInvocation, Post } from "./history.ts";
import type { Random } from "./random.ts";
import { Receivers } from "./receivers.ts";
import { LOST_WRITES, type Story } from "./story.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** A fault that was injected, as the timeline of a story shows it. */
export interface InjectedFault {
  readonly number: number;
  readonly at: number;
  readonly kind: string;
  readonly where: string;
}

/** A write to the table, as its stream shows it. */
export interface TableWrite {
  readonly at: number;
  readonly pk: string;
  readonly sk: string;
  /** The item after the write; absent if it was removed. */
  readonly item: Readonly<Record<string, unknown>> | undefined;
}

interface Dependencies {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly story: Story;
  readonly beginning: number;
  /** The numbers of the faults that are left out. */
  readonly withoutFaults: ReadonlySet<number>;
  readonly clientsOf?: (environment: ExecutionEnvironment, network: Network) => Clients;
  readonly onPost: (post: Post) => void;
}

/** How long before a waiting delivery is due it may be released, in ms. */
const RELEASED_EARLY_MS = 3 * 60_000;
/** The faults of a batch request or a transaction that only one of several items causes, and their share of its faults. */
const OF_MANY: Readonly<Record<string, { readonly kind: NetworkFault; readonly share: number }>> = {
  SendMessageBatch: { kind: "partly refused", share: 0.4 },
  TransactWriteItems: { kind: "conflicts", share: 0.4 },
};
/** How long a persistent fault lasts, in ms, such as a hot partition or a broken route. */
const STICKY_MS = [2_000, 20_000, 60_000];

/** The whole service on simulated AWS. */
export class SimulatedService {
  readonly table: SimulatedTable;
  readonly queues: SimulatedQueues;
  readonly writes: TableWrite[] = [];
  readonly faults: InjectedFault[] = [];
  /** The number of disturbances. It is higher than the number of faults if a fault is persistent. */
  disturbances = 0;
  readonly failedInvocations: FailedInvocation[] = [];
  invocations = 0;
  /** Faults of the simulation itself. */
  readonly problems: unknown[] = [];
  readonly #functions = new Map<string, SimulatedFunction>();
  readonly #streamSources: SimulatedStreamSource[] = [];
  readonly #queueSources: SimulatedQueueSource[] = [];
  readonly #schedules: SimulatedSchedule[] = [];
  /** When the deliveries that wait in the table are due, by their keys. */
  readonly #waiting = new Map<string, number>();
  readonly #deployment: Deployment;
  readonly #dependencies: Dependencies;
  readonly #faultRandom: Random;
  readonly #positions: number[];
  #faultCount = 0;
  #exchangeCount = 0;
  #requestCount = 0;
  #isOut = false;
  /** Requests that meet the same fault repeatedly. */
  readonly #stuck = new Map<string, { readonly kind: NetworkFault; readonly until: number }>();
  isCalm = false;
  /** Whether the code that reads parked events is a newer one, which knows those that were unknown. */
  knowsAllEvents = false;

  constructor(deployment: Deployment, dependencies: Dependencies) {
    const { assembly, functions } = deployment;
    this.#deployment = deployment;
    const { clock, random, story, beginning, onPost, clientsOf = plainClients } = dependencies;
    this.#dependencies = dependencies;
    this.#faultRandom = random.fork("faults");
    const [definition] = assembly.tables;
    if (!definition) throw new Error("The assembly has no table.");
    const staleness = random.fork("staleness");
    const now = () => clock.now();
    this.table = new SimulatedTable(definition, {
      now,
      random: () => staleness.real(),
      pageBytes: story.pageBytes,
      shards: 2,
    });
    this.#positions = this.table.shards.map(() => 0);
    const messages = random.fork("messages");
    this.queues = new SimulatedQueues(assembly.queues, { now, random: () => messages.real() });
    const secrets = new SimulatedSecrets(
      Object.fromEntries(
        assembly.secrets.map(({ arn }) => [arn, JSON.stringify({ current: "1", 1: "key material" })]),
      ),
    );
    const streams = new SimulatedStreams(this.table, now);
    const network = new Network(
      clock,
      {
        dynamodb: (action, input, _, conflicts) =>
          this.#handled(() => this.table.handle(action, input, conflicts)),
        sqs: (action, input, traceHeader) => {
          const output = this.#handled(() => this.queues.handle(action, input, traceHeader));
          return this.knowsAllEvents && action === "ReceiveMessage" ? asKnown(output) : output;
        },
        secretsmanager: (action, input) => this.#handled(() => secrets.handle(action, input)),
        streams: (action, input) => this.#handled(() => streams.handle(action, input)),
      },
      { faultOf: (environment, request) => this.#faultOf(environment, request) },
    );
    const receivers = new Receivers(story.subscribers, { clock, beginning, onPost });
    for (const functionDefinition of assembly.functions) {
      const name = shortName(functionDefinition.name);
      const start = functions[name];
      if (!start) continue;
      const simulated = new SimulatedFunction(functionDefinition, {
        clock,
        random: random.fork(name),
        start: (environment) => start(environment, clientsOf(environment, network), receivers),
        endsDuringInvocation: (environment) =>
          this.#happens(story.faults.ends, "the environment ends", environment.id) !== undefined,
        onInvocation: ({ functionName, result }) => {
          this.invocations += 1;
          if (result.functionError) this.failedInvocations.push({ functionName, at: clock.now(), result });
        },
      });
      this.#functions.set(name, simulated);
    }
    for (const source of assembly.eventSources) {
      const target = this.#functions.get(shortName(source.functionName));
      if (!target) continue;
      const repeats = () => this.#happens(story.faults.repeats, "handed over twice", source.id) !== undefined;
      if (source.kind === "stream") {
        this.#streamSources.push(
          new SimulatedStreamSource(source, target, this.table.shards, {
            clock,
            random: random.fork(source.id),
            send: (queueArn, body) => {
              const { url = "" } = assembly.queues.find(({ arn }) => arn === queueArn) ?? {};
              this.queues.handle("SendMessage", { QueueUrl: url, MessageBody: body }, undefined);
            },
            repeats,
            hasUnknownEvent: ({ dynamodb: { Keys, NewImage } }) =>
              isEventOfCandidate({ ...Keys, ...NewImage }) &&
              this.#happens(story.faults.unknownEvents, "unknown event", source.id) !== undefined,
          }),
        );
      } else {
        const queue = assembly.queues.find(({ arn }) => arn === source.queueArn);
        this.#queueSources.push(
          new SimulatedQueueSource(source, target, {
            clock,
            random: random.fork(source.id),
            queues: this.queues,
            queueUrl: queue?.url ?? "",
            throttles: () => this.#happens(story.faults.throttles, "throttled", source.id) !== undefined,
            repeats,
          }),
        );
      }
    }
    for (const { functionName, intervalMs } of assembly.schedules) {
      const target = this.#functions.get(shortName(functionName));
      if (!target) continue;
      this.#schedules.push(
        new SimulatedSchedule(target, { clock, intervalMs, workFrom: () => this.#earliestRelease() }),
      );
    }
    this.queues.onChange(() => {
      for (const source of this.#queueSources) source.look();
    });
  }

  /** Invokes a function by its short name. */
  invoke(name: string, event: unknown): Promise<InvocationResult> {
    const target = this.#functions.get(name);
    if (!target) throw new Error(`The function ${name} is not simulated.`);
    return target.invoke(copyOfJson(event));
  }

  /** Whether nothing is in progress any more: no record, no message and no invocation. */
  get isQuiet(): boolean {
    return (
      this.#schedules.every(({ isQuiet }) => isQuiet) &&
      !this.#streamSources.some(({ isBehind }) => isBehind) &&
      !this.#queueSources.some(({ isBusy, isEmpty }) => isBusy || !isEmpty)
    );
  }

  /** The bodies of the messages that are left in each queue, by the queue's name in the assembly. */
  leftMessages(): ReadonlyMap<string, readonly string[]> {
    const { queues } = this.#deployment.assembly;
    return new Map(queues.map(({ name, url }) => [name, this.queues.bodiesIn(url)]));
  }

  /** Removes expired items, as DynamoDB does some time after their expiry: all, or those that are selected. */
  removeExpired(selects?: () => boolean): void {
    this.table.removeExpired(selects);
    this.#afterWrite();
  }

  /**
   * Replaces the content of the parts of a candidate's documents by an empty list.
   *
   * @returns whether there are any
   */
  damageParts(digest: string): boolean {
    const tableName = this.#deployment.assembly.tables[0]?.name;
    const parts = [...this.table.items()]
      .map((item) => unmarshall(item))
      .filter(
        ({ pk, sk }) =>
          pk.startsWith("CANDIDATE#") && pk.endsWith(`#${digest}`) && sk.startsWith("PART#documents#"),
      );
    for (const [index, part] of parts.entries()) {
      const Item = marshall({ ...part, content: Buffer.from(index === 0 ? "[]" : "") });
      this.table.handle("PutItem", { TableName: tableName, Item });
    }
    return parts.length > 0;
  }

  /** Whether a fault of the story happens to a caller. */
  happensToCaller(what: string): boolean {
    const { lostResponses, onlyToCallers } = this.#dependencies.story.faults;
    this.#exchangeCount += 1;
    const share = onlyToCallers ? Number(onlyToCallers.includes(this.#exchangeCount)) : lostResponses;
    return this.#happens(share, what, "caller") !== undefined;
  }

  /** A fault with the given probability. It is numbered, so that it can be left out of another run. */
  #happens(share: number, kind: string, where: string): InjectedFault | undefined {
    const { clock, story, withoutFaults } = this.#dependencies;
    if (!this.#isFaulty) return undefined;
    if (story.faults.onlyToCallers && where !== "caller") return undefined;
    if (!this.#faultRandom.chance(share)) return undefined;
    this.#faultCount += 1;
    if (withoutFaults.has(this.#faultCount)) return undefined;
    const fault = { number: this.#faultCount, at: clock.now(), kind, where };
    this.faults.push(fault);
    this.disturbances += 1;
    return fault;
  }

  /** Whether faults happen at this time of the story. */
  get #isFaulty(): boolean {
    const { clock, beginning, story } = this.#dependencies;
    const elapsed = clock.now() - beginning;
    const { again } = story.faults;
    if (this.isCalm) return false;
    return elapsed < story.faultsUntil || (again && elapsed >= again.from && elapsed < again.until) === true;
  }

  #faultOf(environment: ExecutionEnvironment, request: ServiceRequest): NetworkFault | undefined {
    const { service, action } = request;
    const { story, clock, beginning } = this.#dependencies;
    const { certain, lostWrites, kinds, focus } = story.faults;
    this.#requestCount += 1;
    const elapsed = clock.now() - beginning;
    const { outage } = story;
    if (outage?.service === service && elapsed >= outage.from && elapsed < outage.until) {
      if (!this.#isOut) this.faults.push({ number: 0, at: clock.now(), kind: "outage", where: service });
      this.#isOut = true;
      this.disturbances += 1;
      return "refused";
    }
    const name = `${environment.id} ${service} ${action}`;
    const stuck = this.#stuck.get(name);
    if (stuck && clock.now() < stuck.until) {
      this.disturbances += 1;
      return stuck.kind;
    }
    const isLost = isRecordWrite(request) && this.#faultRandom.chance(lostWrites);
    const ofMany = OF_MANY[action];
    const isOfMany = ofMany !== undefined && this.#faultRandom.chance(ofMany.share);
    const kind = isOfMany ? ofMany.kind : this.#faultRandom.pick(isLost ? LOST_WRITES : kinds);
    const isInFocus =
      focus !== undefined &&
      shortName(environment.id).startsWith(`${focus.functionName}#`) &&
      (focus.service ?? service) === service;
    const share = isInFocus ? focus.share : story.faults.share;
    const fault = this.#happens(isLost || certain.includes(this.#requestCount) ? 1 : share, kind, name);
    if (fault && this.#faultRandom.chance(story.faults.sticky)) {
      this.#stuck.set(name, { kind, until: clock.now() + this.#faultRandom.pick(STICKY_MS) });
    }
    return fault && kind;
  }

  #handled(perform: () => object): object {
    try {
      return perform();
    } catch (error) {
      if (
        error instanceof Error &&
        /is not simulated|not simulated/i.test(`${error.name} ${error.message}`)
      ) {
        this.problems.push(error);
      }
      throw error;
    } finally {
      this.#afterWrite();
    }
  }

  #afterWrite(): void {
    const { clock } = this.#dependencies;
    let isWritten = false;
    for (const [index, shard] of this.table.shards.entries()) {
      const position = this.#positions[index] ?? 0;
      if (shard.length === position) continue;
      isWritten = true;
      for (const { dynamodb } of shard.shared(position)) {
        const { pk, sk } = unmarshall(dynamodb?.Keys ?? {});
        const item = dynamodb?.NewImage && unmarshall(dynamodb.NewImage);
        this.writes.push({ at: clock.now(), pk, sk, item });
        if (pk.startsWith("WAITING#")) this.#noteWaiting(sk, item !== undefined);
      }
      this.#positions[index] = shard.length;
    }
    if (!isWritten) return;
    for (const source of this.#streamSources) source.look();
    for (const schedule of this.#schedules) schedule.look();
  }

  #noteWaiting(sk: string, waits: boolean): void {
    if (waits) this.#waiting.set(sk, Date.parse(sk.split("#")[0] ?? ""));
    else this.#waiting.delete(sk);
  }

  #earliestRelease(): number | undefined {
    return this.#waiting.size === 0 ? undefined : Math.min(...this.#waiting.values()) - RELEASED_EARLY_MS;
  }
}

/** Whether an item as a stream has it is a candidate's, with an event. */
function isEventOfCandidate({ pk, event }: Readonly<Record<string, unknown>>): boolean {
  return (pk as { S?: string } | undefined)?.S?.startsWith("CANDIDATE#") === true && event !== undefined;
}

/** A copy of what is JSON, which copies no text: that of a body may be long. */
function copyOfJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOfJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOfJson(member)]));
}

/** Whether a request writes a candidate, a part of a candidate, or an endpoint. */
function isRecordWrite({ service, action, input }: ServiceRequest): boolean {
  if (service !== "dynamodb") return false;
  if (action === "TransactWriteItems") return true;
  if (action !== "PutItem" && action !== "UpdateItem") return false;
  const { Item, Key } = input as { Item?: { pk?: { S?: string } }; Key?: { pk?: { S?: string } } };
  return /^(?:CANDIDATE|ENDPOINTS)#/.test((Item ?? Key)?.pk?.S ?? "");
}

function shortName(functionName: string): string {
  return functionName.replace("CandidateService-development-", "");
}
