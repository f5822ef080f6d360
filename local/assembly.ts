import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { type ApiDefinition, readApi } from "./api-gateway/definition.ts";
import type { AssemblyLocation } from "./assembly-source.ts";
import { readTables, type TableDefinition } from "./dynamodb/tables.ts";
import { type EventSourceDefinition, readEventSources } from "./event-sources/definition.ts";
import { readFunctions } from "./functions.ts";
import type { FunctionDefinition } from "./lambda/function-definition.ts";
import { CommandError } from "./machine/command-error.ts";
import { readSchedules, type ScheduleDefinition } from "./schedules.ts";
import { readSecrets, type SecretDefinition } from "./secrets-manager.ts";
import { type QueueDefinition, readQueues } from "./sqs/queue-definitions.ts";
import { Template } from "./template.ts";

/** The resources of a cloud assembly's stack that run on this machine. */
export interface Assembly {
  readonly functions: readonly FunctionDefinition[];
  readonly tables: readonly TableDefinition[];
  readonly queues: readonly QueueDefinition[];
  readonly secrets: readonly SecretDefinition[];
  readonly eventSources: readonly EventSourceDefinition[];
  readonly schedules: readonly ScheduleDefinition[];
  readonly api: ApiDefinition | undefined;
}

const Manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z.object({ templateFile: z.string().optional(), file: z.string().optional() }).optional(),
      dependencies: z.array(z.string()).optional(),
    }),
  ),
});

const Assets = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.object({ path: z.string().optional() }),
      destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
    }),
  ),
});

interface ReadAssembly extends AssemblyLocation {
  /** The base URL of the queues, for example `http://host:port`. */
  readonly queuesEndpoint: string;
}

/**
 * Reads a stack of a synthesised cloud assembly: manifest, template and assets.
 *
 * @throws CommandError if the assembly lacks the stack, or uses features that the local stack does not support
 */
export function readAssembly({ directory, stackName, queuesEndpoint }: ReadAssembly): Assembly {
  const readJson = (file: string): unknown => JSON.parse(readFileSync(join(directory, file), "utf8"));
  const { artifacts } = Manifest.parse(readJson("manifest.json"));
  const stack = artifacts[stackName];
  const templateFile = stack?.properties?.templateFile;
  if (stack?.type !== "aws:cloudformation:stack" || templateFile === undefined) {
    throw new CommandError(`The CDK app has no stack ${stackName}. Choose one of its stacks.`);
  }
  const bundles = new Map<string, string>();
  for (const dependency of stack.dependencies ?? []) {
    const artifact = artifacts[dependency];
    if (artifact?.type !== "cdk:asset-manifest" || artifact.properties?.file === undefined) continue;
    for (const { source, destinations } of Object.values(
      Assets.parse(readJson(artifact.properties.file)).files,
    )) {
      for (const { objectKey } of Object.values(destinations)) {
        if (source.path !== undefined) bundles.set(objectKey, join(directory, source.path));
      }
    }
  }
  const template = new Template(readJson(templateFile), { stackName, queuesEndpoint });
  return {
    functions: readFunctions(template, bundles),
    tables: readTables(template),
    queues: readQueues(template),
    secrets: readSecrets(template),
    eventSources: readEventSources(template),
    schedules: readSchedules(template),
    api: readApi(template),
  };
}
