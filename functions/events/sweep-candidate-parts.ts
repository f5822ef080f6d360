import { partSweepOf } from "#candidates/store/composition";
import { sweepBatch } from "#candidates/store/large/part-sweep-batch";
import { documentClient, type WithTable } from "#runtime/dynamodb";
import { runtime } from "#runtime/runtime";
import { streamConsumer } from "#runtime/stream-consumer";

export const sweepCandidateParts = (dependencies: WithTable) => {
  const parts = partSweepOf(dependencies);
  return streamConsumer((records) => sweepBatch(records, parts));
};

export const handler = sweepCandidateParts({ ...runtime, documentClient });
