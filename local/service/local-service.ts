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

/** Increases when the service can no longer use its existing data. */
export const DATA_VERSION = 7;

const CREDENTIALS_FILE = "credentials.json";
const CONSOLE_FILE = "console.json";

/** A developer's receivers run on this machine. */
const LOOPBACK_RECEIVERS = { ALLOWED_WEBHOOK_NETWORKS: "127.0.0.0/8,::1/128" };

/** Minutes for days in the schedule of deliveries. */
export const PRACTICE = { RETRY_SCHEDULE: "practice" };

/** Options of a local stack. The assembly is the project's own by default. */
interface LocalServiceOptions
  extends Omit<LocalStackOptions, "dataVersion" | "cacheDirectory" | "assembly" | "extension"> {
  readonly assembly?: LocalStackOptions["assembly"];
}

/** The service on a running local stack. */
export interface LocalService extends LocalStack {
  readonly organisations: readonly Organisation[];
  /** The file with the addresses and keys for programs. */
  readonly credentialsFile: string;
}

/**
 * Runs the service on this machine, with two organisations that have a key each, and with the console.
 *
 * @throws CommandError with the remedy, if something is missing
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
  // Not a copy, because a reload changes the stack's assembly.
  return Object.assign(stack, await written.promise);
}

/** The console. A function of the stack issues the keys that its buttons use. */
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
