import type { Random } from "../random.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { ExecutionEnvironment } from "./execution-environment.ts";

export type ServiceName = "dynamodb" | "secretsmanager" | "sqs" | "streams";

/** One attempt of a request to a service of AWS. */
export interface ServiceRequest {
  readonly service: ServiceName;
  readonly action: string;
  readonly input: object;
}

/**
 * What performs requests, with their trace header; throws what the service would. A transaction that conflicts with
 * another one is cancelled.
 */
export type Service = (
  action: string,
  input: object,
  traceHeader: string | undefined,
  conflicts: boolean,
) => object;

/**
 * What goes wrong with an attempt:
 * - `throttled`, `refused`: the service says so, and does nothing
 * - `lost before`: the request never arrives; `lost after`: its response never does
 * - `reset before`, `reset after`: the same, and the connection breaks at once
 * - `late`: the request arrives when nobody waits for it any more
 * - `partly refused`: some entries of a batch are refused, and the rest is performed
 * - `conflicts`: a transaction is cancelled, since another one writes one of its items at that moment
 * - `slow`: the response takes seconds
 * - `gone before`, `gone after`: the environment ends before, or after, the request is performed
 */
export const NETWORK_FAULTS = [
  "throttled",
  "refused",
  "lost before",
  "lost after",
  "reset before",
  "reset after",
  "late",
  "slow",
  "partly refused",
  "gone before",
  "gone after",
] as const;
export type NetworkFault = (typeof NETWORK_FAULTS)[number] | "conflicts";

/** Decides on what goes wrong. */
export interface NetworkFaults {
  faultOf(environment: ExecutionEnvironment, request: ServiceRequest): NetworkFault | undefined;
}

/**
 * No response came: the client waited as long as it does, or the connection broke. The SDK's HTTP handler calls both
 * a TimeoutError, with Node's code.
 */
class NoResponse extends Error {
  override readonly name = "TimeoutError";
  readonly code: "ETIMEDOUT" | "ECONNRESET";

  constructor(code: "ETIMEDOUT" | "ECONNRESET") {
    super("No response.");
    this.code = code;
  }
}

/** The service says that it does not perform the request now. */
export class ServiceRefusal extends Error {
  readonly kind: "throttled" | "refused";

  constructor(kind: "throttled" | "refused") {
    super(kind);
    this.kind = kind;
  }
}

/** The way between execution environments and services: it takes time, and is not reliable. */
export class Network {
  readonly #clock: VirtualClock;
  readonly #services: Readonly<Record<ServiceName, Service>>;
  readonly #faults: NetworkFaults;

  constructor(clock: VirtualClock, services: Readonly<Record<ServiceName, Service>>, faults: NetworkFaults) {
    this.#clock = clock;
    this.#services = services;
    this.#faults = faults;
  }

  /**
   * Sends one attempt of a request.
   *
   * @param timeoutMs how long the client waits for a response
   * @throws NoResponse, ServiceRefusal; what the service throws
   */
  async request(
    environment: ExecutionEnvironment,
    request: ServiceRequest,
    timeoutMs: number,
  ): Promise<object> {
    // A timer of the process may fire while the environment is frozen, or has ended: nothing leaves it then.
    await environment.sees(Promise.resolve());
    const fault = this.#faults.faultOf(environment, request);
    return environment.sees(this.#exchange(environment, request, timeoutMs, fault));
  }

  async #exchange(
    environment: ExecutionEnvironment,
    request: ServiceRequest,
    timeoutMs: number,
    fault: NetworkFault | undefined,
  ): Promise<object> {
    const { random, traceHeader } = environment;
    const { service, action, input } = request;
    const send = (given: object) =>
      this.#services[service](action, given, traceHeader, fault === "conflicts");
    const perform = () =>
      fault === "partly refused" && action === "SendMessageBatch" ? partly(input, send) : send(input);
    await this.#clock.delay(latency(random));
    switch (fault) {
      case "gone before":
        environment.end();
        return never();
      case "gone after":
        attempted(perform);
        environment.end();
        return never();
      case "throttled":
      case "refused":
        throw new ServiceRefusal(fault);
      case "reset before":
        throw new NoResponse("ECONNRESET");
      case "reset after":
        attempted(perform);
        throw new NoResponse("ECONNRESET");
      case "lost before":
        await this.#clock.delay(timeoutMs);
        throw new NoResponse("ETIMEDOUT");
      case "lost after":
        attempted(perform);
        await this.#clock.delay(timeoutMs);
        throw new NoResponse("ETIMEDOUT");
      case "late":
        this.#clock.after(random.integer(timeoutMs, 3 * timeoutMs), () => attempted(perform));
        await this.#clock.delay(timeoutMs);
        throw new NoResponse("ETIMEDOUT");
      case "partly refused":
      case "conflicts":
      case "slow":
      case undefined: {
        const output = performed(perform);
        await this.#clock.delay(fault === "slow" ? random.integer(200, timeoutMs - 10) : latency(random));
        return output();
      }
    }
  }
}

/** In ms, one way. */
function latency(random: Random): number {
  return random.integer(1, 8);
}

/** What comes of a request, to be handed over later. */
function performed(perform: () => object): () => object {
  try {
    const output = perform();
    return () => output;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** A request whose response nobody gets. */
function attempted(perform: () => object): void {
  performed(perform);
}

/** A batch of which SQS refuses every second entry, for a fault of its own (Amazon SQS API, BatchResultErrorEntry). */
function partly(input: object, perform: (rest: object) => object): object {
  const { Entries, ...batch } = input as { readonly Entries: readonly { readonly Id: string }[] };
  const [refused = [], taken = []] = [0, 1].map((odd) => Entries.filter((_, index) => index % 2 === odd));
  const Failed = refused.map(({ Id }) => ({ Id, Code: "InternalError", SenderFault: false }));
  return taken.length === 0
    ? { Successful: [], Failed }
    : { ...perform({ ...batch, Entries: taken }), Failed };
}

function never(): Promise<never> {
  return new Promise(() => {});
}
