import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "../../local/service/project.ts";

type Json = Record<string, unknown>;

/** Resources of a template by logical id. */
export type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties: Json }>>;

interface Fixture {
  /** The source of each function's module, by the function's logical id; it exports `handler`. */
  readonly functions: Readonly<Record<string, { readonly code: string; readonly properties?: Json }>>;
  readonly resources?: Resources;
}

/** A cloud assembly of a stack `Fixture`, as CDK writes it, with functions made for one test. */
export async function writeAssembly(directory: string, { functions, resources = {} }: Fixture) {
  const files: Json = {};
  const lambdas: Json = {};
  for (const [logicalId, { code, properties }] of Object.entries(functions)) {
    const path = `asset.${logicalId}`;
    await mkdir(join(directory, path), { recursive: true });
    await writeFile(join(directory, path, "index.mjs"), code);
    files[logicalId] = {
      source: { path, packaging: "zip" },
      destinations: { here: { bucketName: "assets", objectKey: `${logicalId}.zip` } },
    };
    lambdas[logicalId] = {
      Type: "AWS::Lambda::Function",
      Properties: {
        FunctionName: logicalId,
        Code: { S3Bucket: "assets", S3Key: `${logicalId}.zip` },
        Handler: "index.handler",
        Timeout: 5,
        MemorySize: 128,
        ...properties,
      },
    };
  }
  const write = (file: string, content: Json) => writeFile(join(directory, file), JSON.stringify(content));
  await write("assets.json", { files });
  await write("template.json", { Resources: { ...lambdas, ...resources } });
  await write("manifest.json", {
    artifacts: {
      "Fixture.assets": { type: "cdk:asset-manifest", properties: { file: "assets.json" } },
      Fixture: {
        type: "aws:cloudformation:stack",
        properties: { templateFile: "template.json" },
        dependencies: ["Fixture.assets"],
      },
    },
  });
  return { directory, stackName: "Fixture" };
}

/** As the service's own function, for the keys that are issued at a start. */
export const issueApiKey = {
  code: "let issued = 0; export const handler = async ({ orgId }) => ({ apiKey: orgId + ++issued });",
  properties: { FunctionName: "Fixture-issue-api-key" },
};

/** What a stack is started with whatever it runs. */
export const ANY_STACK = { dataVersion: 1, cacheDirectory: cacheDirectory() };

/** Collects what functions log, and lets a test wait for a line. */
export class LogLines {
  readonly #lines: string[] = [];
  readonly #waiting = new Set<() => void>();

  readonly add = (_functionName: string, line: string): void => {
    this.#lines.push(line);
    for (const check of this.#waiting) check();
  };

  get all(): readonly string[] {
    return this.#lines;
  }

  /** The lines with this beginning, without it, once there are at least so many of them. */
  async first(count: number, beginning: string): Promise<string[]> {
    const found = () => this.#lines.filter((line) => line.startsWith(beginning));
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (found().length >= count) resolve();
    };
    this.#waiting.add(check);
    check();
    await promise;
    this.#waiting.delete(check);
    return found().map((line) => line.slice(beginning.length));
  }
}
