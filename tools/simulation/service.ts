import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { InvocationResult } from "../../local/lambda/execution-environment.ts";
import { type Clients, plainClients } from "./aws/clients.ts";
import type { ExecutionEnvironment } from "./aws/execution-environment.ts";
import { Network } from "./aws/network.ts";
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
import { type FaultDependencies, FaultInjection } from "./fault-injection.ts";
import { shortName } from "./functions.ts";
import type { FailedInvocation, Post } from "./history.ts";
import { Receivers } from "./receivers.ts";
import { WriteHistory } from "./write-history.ts";

interface Dependencies extends FaultDependencies {
  readonly clientsOf?: (environment: ExecutionEnvironment, network: Network) => Clients;
  readonly onPost: (post: Post) => void;
}

/** The whole service on simulated AWS. */
export class SimulatedService {
  readonly table: SimulatedTable;
  readonly queues: SimulatedQueues;
  readonly faults: FaultInjection;
  /** What was written to the table. */
  readonly history: WriteHistory;
  readonly failedInvocations: FailedInvocation[] = [];
  invocations = 0;
  /** Faults of the simulation itself. */
  readonly problems: unknown[] = [];
  /** Whether the code that reads parked events is a newer one, which knows those that were unknown. */
  knowsAllEvents = false;
  readonly #functions: ReadonlyMap<string, SimulatedFunction>;
  readonly #streamSources: readonly SimulatedStreamSource[];
  readonly #queueSources: readonly SimulatedQueueSource[];
  readonly #schedules: readonly SimulatedSchedule[];
  readonly #deployment: Deployment;
  readonly #dependencies: Dependencies;

  constructor(deployment: Deployment, dependencies: Dependencies) {
    const { assembly } = deployment;
    this.#deployment = deployment;
    this.#dependencies = dependencies;
    const { clock, random, story } = dependencies;
    this.faults = new FaultInjection({ ...dependencies, random: random.fork("faults") });
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
    this.history = new WriteHistory(this.table, now);
    const messages = random.fork("messages");
    this.queues = new SimulatedQueues(assembly.queues, { now, random: () => messages.real() });
    this.#functions = this.#newFunctions(this.#newNetwork());
    this.#streamSources = this.#newStreamSources();
    this.#queueSources = this.#newQueueSources();
    this.#schedules = this.#newSchedules();
    this.queues.onChange(() => {
      for (const source of this.#queueSources) source.look();
    });
  }

  #newNetwork(): Network {
    const { clock } = this.#dependencies;
    const { secrets } = this.#deployment.assembly;
    const simulatedSecrets = new SimulatedSecrets(
      Object.fromEntries(
        secrets.map(({ arn }) => [arn, JSON.stringify({ current: "1", 1: "key material" })]),
      ),
    );
    const streams = new SimulatedStreams(this.table, () => clock.now());
    return new Network(
      clock,
      {
        dynamodb: (action, input, _, conflicts) =>
          this.#handled(() => this.table.handle(action, input, conflicts)),
        sqs: (action, input, traceHeader) => {
          const output = this.#handled(() => this.queues.handle(action, input, traceHeader));
          return this.knowsAllEvents && action === "ReceiveMessage" ? asKnown(output) : output;
        },
        secretsmanager: (action, input) => this.#handled(() => simulatedSecrets.handle(action, input)),
        streams: (action, input) => this.#handled(() => streams.handle(action, input)),
      },
      { faultOf: (environment, request) => this.faults.ofRequest(environment, request) },
    );
  }

  #newFunctions(network: Network): ReadonlyMap<string, SimulatedFunction> {
    const { clock, random, story, beginning, onPost, clientsOf = plainClients } = this.#dependencies;
    const { assembly, functions } = this.#deployment;
    const receivers = new Receivers(story.subscribers, { clock, beginning, onPost });
    const simulated = new Map<string, SimulatedFunction>();
    for (const definition of assembly.functions) {
      const name = shortName(definition.name);
      const start = functions[name];
      if (!start) continue;
      const dependencies = {
        clock,
        random: random.fork(name),
        start: (environment: ExecutionEnvironment) =>
          start(environment, clientsOf(environment, network), receivers),
        endsDuringInvocation: ({ id }: ExecutionEnvironment) =>
          this.faults.happens(story.faults.ends, "the environment ends", id),
        onInvocation: ({ functionName, result }: Omit<FailedInvocation, "at">) => {
          this.invocations += 1;
          if (result.functionError) this.failedInvocations.push({ functionName, at: clock.now(), result });
        },
      };
      simulated.set(name, new SimulatedFunction(definition, dependencies));
    }
    return simulated;
  }

  #newStreamSources(): SimulatedStreamSource[] {
    const { clock, random, story } = this.#dependencies;
    const { eventSources } = this.#deployment.assembly;
    return eventSources.flatMap((source) => {
      const target = this.#functions.get(shortName(source.functionName));
      if (!target || source.kind !== "stream") return [];
      return new SimulatedStreamSource(source, target, this.table.shards, {
        clock,
        random: random.fork(source.id),
        send: (queueArn, body) => {
          const QueueUrl = this.#urlOf(queueArn);
          this.queues.handle("SendMessage", { QueueUrl, MessageBody: body }, undefined);
        },
        repeats: () => this.#repeats(source.id),
        hasUnknownEvent: ({ dynamodb: { Keys, NewImage } }) =>
          isEventOfCandidate({ ...Keys, ...NewImage }) &&
          this.faults.happens(story.faults.unknownEvents, "unknown event", source.id),
      });
    });
  }

  #newQueueSources(): SimulatedQueueSource[] {
    const { clock, random, story } = this.#dependencies;
    const { eventSources } = this.#deployment.assembly;
    return eventSources.flatMap((source) => {
      const target = this.#functions.get(shortName(source.functionName));
      if (!target || source.kind === "stream") return [];
      return new SimulatedQueueSource(source, target, {
        clock,
        random: random.fork(source.id),
        queues: this.queues,
        queueUrl: this.#urlOf(source.queueArn),
        throttles: () => this.faults.happens(story.faults.throttles, "throttled", source.id),
        repeats: () => this.#repeats(source.id),
      });
    });
  }

  #newSchedules(): SimulatedSchedule[] {
    const { clock } = this.#dependencies;
    const { schedules } = this.#deployment.assembly;
    return schedules.flatMap(({ functionName, intervalMs }) => {
      const target = this.#functions.get(shortName(functionName));
      if (!target) return [];
      return new SimulatedSchedule(target, {
        clock,
        intervalMs,
        workFrom: () => this.history.earliestRelease,
      });
    });
  }

  #repeats(source: string): boolean {
    return this.faults.happens(this.#dependencies.story.faults.repeats, "handed over twice", source);
  }

  #urlOf(queueArn: string): string {
    return this.#deployment.assembly.queues.find(({ arn }) => arn === queueArn)?.url ?? "";
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
    if (!this.history.follow()) return;
    for (const source of this.#streamSources) source.look();
    for (const schedule of this.#schedules) schedule.look();
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
