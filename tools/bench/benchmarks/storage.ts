import { transition } from "#candidates/change";
import { handleOf } from "#candidates/handles";
import { CandidateReader } from "#candidates/store/candidate-reader";
import { CandidateRepository } from "#candidates/store/candidate-repository";
import { CandidateSubmission } from "#contract/candidate-submission";
import { runtime } from "#runtime/runtime";
import { ACME } from "../../../test/builders/organisation.ts";
import { aStore, type Store } from "../../../test/candidates/candidate-store.ts";
import { startEngine } from "../../../test/engine.ts";
import type { Benchmark, Figure, Goal } from "../figure.ts";
import { aLargeSubmission, aRealisticSubmission } from "../submissions.ts";

export const benchmark: Benchmark = {
  title: "Storage",
  method:
    "Requests and capacity units of each operation on a candidate, as DynamoDB Local counts them (ReturnConsumedCapacity), for the realistic submission and a large one.",
  async measure() {
    const engine = await startEngine();
    const store = await aStore(engine.endpoint);
    try {
      const counted = capacityCounter(store.client);
      const realistic = await operationsOn("realistic", aRealisticSubmission(), store, counted, {
        create: { atMost: 5 },
      });
      const large = await operationsOn("large", aLargeSubmission(), store, counted, {
        create: { atMost: 122 },
        read: { atMost: 31 },
      });
      return [...realistic, ...large];
    } finally {
      store.close();
      await engine.stop();
    }
  },
};

interface Taken {
  readonly requests: number;
  readonly units: number;
}

/** Runs work and returns what it took of the table. */
type CapacityCounter = (work: () => Promise<unknown>) => Promise<Taken>;

async function operationsOn(
  size: string,
  body: object,
  { client, tableName }: Store,
  counted: CapacityCounter,
  goals: Readonly<Record<string, Goal>>,
): Promise<Figure[]> {
  const submission = CandidateSubmission.parse({ ...body, externalId: `bench-${size}` });
  const repository = new CandidateRepository(client, tableName, runtime);
  const reader = new CandidateReader(client, tableName, runtime);
  const handle = handleOf(ACME, submission.externalId);
  const operations = {
    create: await counted(() => repository.receive(ACME, submission)),
    read: await counted(() => reader.find(ACME.orgId, handle)),
    "amend one member": await counted(() =>
      repository.amend(ACME.orgId, handle, { headline: "Analyst" }, {}),
    ),
    verify: await counted(() => repository.change(ACME.orgId, handle, transition("verify"))),
  };
  const kilobytes = (Buffer.byteLength(JSON.stringify(submission)) / 1_000).toFixed(1);
  return Object.entries(operations).map(([operation, { requests, units }]): Figure => {
    return {
      name: `${operation}, ${size} (${kilobytes} kB): ${requests} ${requests === 1 ? "request" : "requests"}`,
      value: units,
      unit: "units",
      ...(goals[operation] && { goal: goals[operation] }),
    };
  });
}

function capacityCounter(client: Store["client"]): CapacityCounter {
  let taken = { requests: 0, units: 0 };
  client.middlewareStack.add(
    (next) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: "TOTAL" });
      const result = await next(args);
      const { ConsumedCapacity } = result.output as { ConsumedCapacity?: Consumed | Consumed[] };
      const units = [ConsumedCapacity].flat().reduce((sum, each) => sum + (each?.CapacityUnits ?? 0), 0);
      taken = { requests: taken.requests + 1, units: taken.units + units };
      return result;
    },
    { step: "initialize" },
  );
  return async (work) => {
    taken = { requests: 0, units: 0 };
    await work();
    return taken;
  };
}

interface Consumed {
  readonly CapacityUnits?: number;
}
