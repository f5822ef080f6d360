import * as z from "zod/mini";
import { documentClient } from "#aws/dynamodb";
import { readEnvironment, TableName } from "#aws/environment";
import { CandidateRepository } from "#candidates/candidate-repository";
import { SweepQueue } from "#candidates/sweep-queue";

const environment = readEnvironment({ TABLE_NAME: TableName, SWEEP_QUEUE_URL: z.url() });

/** The deployment's candidates, to be written. */
export const candidates = new CandidateRepository(
  documentClient,
  environment.TABLE_NAME,
  new SweepQueue(environment.SWEEP_QUEUE_URL),
);
