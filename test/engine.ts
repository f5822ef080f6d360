import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { dynamoDbLocal } from "../local/dynamodb/download.ts";
import { type DynamoDbEngine, startDynamoDb } from "../local/dynamodb/engine.ts";
import { cacheDirectory } from "../local/service/project.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A DynamoDB Local for all tests: each access key id has a database of its own there. */
    dynamoDbEndpoint: string;
  }
}

/** One DynamoDB Local for every test, also for those on the local stack. */
export async function setup(project: TestProject): Promise<void> {
  await engineOnce(project);
}

/** The endpoint of the whole run's engine, which the first project that needs it starts. */
export async function engineOnce(project: TestProject): Promise<string> {
  const { dynamoDbEndpoint } = project.getProvidedContext();
  if (dynamoDbEndpoint !== undefined) return dynamoDbEndpoint;
  const { endpoint, stop } = await startEngine({ inMemory: true });
  project.vitest.provide("dynamoDbEndpoint", endpoint);
  // After the teardowns of all projects, which may still need it.
  project.vitest.onClose(stop);
  return endpoint;
}

/** A DynamoDB Local on a free port that begins empty, and of which nothing is left when it is stopped. */
export async function startEngine({ inMemory = false } = {}): Promise<DynamoDbEngine> {
  const directory = await mkdtemp(join(tmpdir(), "candidate-service-engine-"));
  const engine = await startDynamoDb({
    program: await dynamoDbLocal({ cacheDirectory: cacheDirectory(), onProgress: () => {} }),
    dataDirectory: directory,
    inMemory,
    logFile: join(directory, "engine.log"),
  });
  return {
    endpoint: engine.endpoint,
    async stop() {
      await engine.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
