import { DeveloperConsole } from "../console/developer-console.ts";
import type { ExtendedStack, StackExtension } from "../extension.ts";
import { type LocalStack, startLocalStack } from "../local-stack.ts";
import type { LocalStackOptions } from "../options.ts";
import {
  type Credentials,
  issueKeys,
  keptOrganisations,
  type Organisation,
  writeCredentials,
} from "./credentials.ts";
import { cacheDirectory, STACK } from "./project.ts";
import { synthesise } from "./synthesis.ts";

/**
 * Rises when the service can no longer use what it has kept before: 2 keys handles (docs/decisions/0001), 3 is the
 * stored form of docs/data-model.md, 4 keeps queues in an engine of the project's own (docs/decisions/0034).
 */
export const DATA_VERSION = 4;

const CREDENTIALS_FILE = "credentials.json";
const CONSOLE_FILE = "console.json";

/** A developer's receivers are on this machine. */
const LOOPBACK_RECEIVERS = { ALLOWED_WEBHOOK_NETWORKS: "127.0.0.0/8,::1/128" };

/** As for any local stack; the assembly is the project's own unless one is given. */
interface LocalServiceOptions
  extends Omit<LocalStackOptions, "dataVersion" | "cacheDirectory" | "assembly" | "extension"> {
  readonly assembly?: LocalStackOptions["assembly"];
}

/** The service on a local stack that is ready for requests. */
export interface LocalService extends LocalStack {
  readonly organisations: readonly Organisation[];
  /** The file that holds the addresses and keys for programs. */
  readonly credentialsFile: string;
}

/**
 * Runs the service on this machine, with two organisations that have a key each, and the console on top.
 *
 * @throws CommandError when something is missing, with what to do about it
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const written = Promise.withResolvers<Pick<LocalService, "organisations" | "credentialsFile">>();
  const stack = await startLocalStack({
    assembly: { stackName: STACK, synthesise },
    ...options,
    dataVersion: DATA_VERSION,
    cacheDirectory: cacheDirectory(),
    functionEnvironment: { ...LOOPBACK_RECEIVERS, ...options.functionEnvironment },
    extension: consoleWithKeys(written.resolve),
  });
  // Not a copy: the stack's assembly changes with each reload.
  return Object.assign(stack, await written.promise);
}

/** The keys are issued by a function of the stack, and the console's buttons use them. */
function consoleWithKeys(
  onWritten: (written: Pick<LocalService, "organisations" | "credentialsFile">) => void,
): StackExtension {
  return {
    files: [CREDENTIALS_FILE, CONSOLE_FILE],
    async start(stack) {
      const { baseUrl, dynamodb, onFault } = stack;
      const credentialsFile = stack.file(CREDENTIALS_FILE);
      const { organisations } = await writtenCredentials(stack, credentialsFile);
      onWritten({ organisations, credentialsFile });
      return new DeveloperConsole({
        baseUrl,
        dynamodb,
        tableName: stack.tableNames[0],
        secretsFile: stack.file(CONSOLE_FILE),
        organisations,
        functions: () => stack.functions(),
        onFault: (error) => onFault(error),
      });
    },
  };
}

async function writtenCredentials(stack: ExtendedStack, file: string): Promise<Credentials> {
  const { baseUrl, invokeUrl, isEmpty } = stack;
  const kept = isEmpty ? undefined : keptOrganisations(file);
  const organisations = [...(kept ?? (await issueKeys(stack.functions())))];
  const credentials = { baseUrl, invokeUrl, organisations };
  writeCredentials(file, credentials);
  return credentials;
}
