import { setImmediate as turn } from "node:timers/promises";
import type { Store } from "../../test/candidates/candidate-store.ts";
import { documentClient } from "../simulation/dynamodb/document-client.ts";
import { serviceTable } from "../simulation/dynamodb/service-table.ts";
import { SimulatedTable } from "../simulation/dynamodb/simulated-table.ts";

const READS = ["GetItem", "Query"];

/** The store of the tests that run on DynamoDB Local, on the simulated table: a mutant costs no engine. */
export async function aStore(): Promise<Store> {
  const table = new SimulatedTable(serviceTable, { now: Date.now, random: () => 0 });
  const read = table.shards.map(() => 0);
  return {
    client: documentClient(
      async (target, input) => {
        const begun = Date.now();
        const output = table.handle(target, input);
        // A request takes a turn, and no two writes that follow each other are of the same millisecond.
        do await turn();
        while (!READS.includes(target) && Date.now() === begun);
        return output;
      },
      { removeUndefinedValues: true },
    ),
    tableName: serviceTable.name,
    async firedSinceLastAsked() {
      return table.shards.flatMap((shard, index) => {
        const records = shard.read(read[index] ?? 0);
        read[index] = (read[index] ?? 0) + records.length;
        return records.flatMap(({ dynamodb }) =>
          dynamodb?.NewImage?.["event"]
            ? [{ sequenceNumber: dynamodb.SequenceNumber ?? "", newImage: dynamodb.NewImage }]
            : [],
        );
      });
    },
    close() {},
  };
}
