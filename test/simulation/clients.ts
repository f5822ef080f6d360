import type { Clients } from "../../tools/simulation/aws/clients.ts";
import { ExecutionEnvironment } from "../../tools/simulation/aws/execution-environment.ts";
import { Network, type NetworkFault, type ServiceRequest } from "../../tools/simulation/aws/network.ts";
import { SimulatedQueues } from "../../tools/simulation/aws/queues.ts";
import { SimulatedSecrets } from "../../tools/simulation/aws/secrets.ts";
import { SimulatedStreams } from "../../tools/simulation/aws/streams.ts";
import { serviceTable } from "../../tools/simulation/dynamodb/service-table.ts";
import { SimulatedTable } from "../../tools/simulation/dynamodb/simulated-table.ts";
import { withVirtualTimers } from "../../tools/simulation/process-timers.ts";
import { Random } from "../../tools/simulation/random.ts";
import { VirtualClock } from "../../tools/simulation/virtual-clock.ts";

export const BEGINNING = Date.parse("2026-06-01T12:00:00.000Z");
export const QUEUE_URL = "https://sqs.us-east-1.amazonaws.com/000000000000/queue";

/** Longer than anything that a test waits for. */
const LONGEST_MS = 100 * 86_400_000;

type MakeClients = (environment: ExecutionEnvironment, network: Network) => Clients;

/** One execution environment with its clients, the services, and the network between them. */
export class SimulatedAws {
  readonly clock = new VirtualClock(BEGINNING);
  readonly #random = new Random("clients");
  readonly table = new SimulatedTable(serviceTable, { now: () => this.clock.now(), random: () => 0 });
  readonly queues = new SimulatedQueues(
    [{ name: "queue", url: QUEUE_URL, arn: "arn:aws:sqs:us-east-1:000000000000:queue", attributes: {} }],
    { now: () => this.clock.now(), random: () => 0.5 },
  );
  readonly environment = new ExecutionEnvironment({
    id: "function#1",
    clock: this.clock,
    random: this.#random.fork("environment"),
    clockOffset: 0,
    variables: {},
  });
  readonly clients: Clients;
  /** What happens to the next attempts; nothing to those after them. */
  faults: NetworkFault[] = [];
  /** The attempts that were made, and how many of them a service performed. */
  readonly attempts: ServiceRequest[] = [];
  performed = 0;

  constructor(clientsOf: MakeClients) {
    const secrets = new SimulatedSecrets({ secret: "one" });
    const streams = new SimulatedStreams(this.table, () => this.clock.now());
    const counted = (service: { handle(action: string, input: object, trace?: string): object }) => {
      return (action: string, input: object, trace: string | undefined) => {
        this.performed += 1;
        return service.handle(action, input, trace);
      };
    };
    const network = new Network(
      this.clock,
      {
        dynamodb: counted({ handle: (action, input) => this.table.handle(action, input) }),
        sqs: counted({
          handle: (action, input, trace) => this.queues.handle(action, input, trace),
        }),
        secretsmanager: counted(secrets),
        streams: counted(streams),
      },
      {
        faultOf: (_environment, request) => {
          this.attempts.push(request);
          return this.faults.shift();
        },
      },
    );
    this.clients = clientsOf(this.environment, network);
  }

  /** What comes of `work` while the clock runs, or "nothing": real I/O would end after it. */
  during<Result>(work: () => Promise<Result>): Promise<Result | "nothing"> {
    return withVirtualTimers(this.clock, this.#random.fork("globals"), async () => {
      const result = work();
      // A rejection is seen when the clock has run.
      result.catch(() => {});
      await this.clock.run(this.clock.now() + LONGEST_MS);
      return Promise.race([result, Promise.resolve("nothing" as const)]);
    });
  }
}
