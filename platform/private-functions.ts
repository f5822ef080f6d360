import { readFile } from "node:fs/promises";
import { Agent } from "node:https";
import { join } from "node:path";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import type { Command } from "commander";
import * as z from "zod/mini";
import { ERROR_STATUS, InvalidRequest } from "#contract/errors";
import { parse } from "#contract/parse";
import type { EnvironmentName } from "#runtime/environment";
import { CommandError, UsageError } from "../client/terminal/errors.ts";
import { nonFiniteAsText } from "../client/terminal/printable.ts";
import { withFlags } from "./flags.ts";
import { invocationProblem } from "./invocation-problem.ts";
import { platformMessage } from "./platform-message.ts";

/** The file that the local stack writes when it is ready; see `local/`. */
const LocalCredentials = z.object({ invokeUrl: z.string() });

/** The Invoke API's response for a function that threw an error. */
const FunctionFailure = z.object({ errorType: z.string(), errorMessage: z.string() });

/** The options that precede every command. */
export interface PlatformOptions {
  readonly environment?: EnvironmentName;
  readonly json?: boolean;
}

/** The schemas of a private function. */
interface Schemas<Output extends z.ZodMiniType> {
  readonly input: z.ZodMiniType;
  readonly output: Output;
}

/**
 * Invokes a private function of the chosen environment, or of the local stack by default.
 *
 * @param name the function's file in `functions/platform/`, without `.ts`
 * @throws UsageError if the input is invalid; nothing was done
 * @throws CommandError with the remedy, if the function cannot be reached or refuses
 */
export async function invoke<Output extends z.ZodMiniType>(
  command: Command,
  name: string,
  given: object,
  { input, output }: Schemas<Output>,
): Promise<z.infer<Output>> {
  const sent = JSON.stringify(given, nonFiniteAsText);
  check(input, JSON.parse(sent));
  const { environment } = command.optsWithGlobals<PlatformOptions>();
  const localUrl = environment ? undefined : await localInvokeUrl();
  const client = localUrl === undefined ? awsClient() : localClient(localUrl);
  const functionName = `CandidateService-${environment ?? "development"}-${name}`;
  const { FunctionError, Payload } = await client
    .send(new InvokeCommand({ FunctionName: functionName, Payload: sent }))
    .catch((error: Error) => {
      throw new CommandError(invocationProblem(functionName, environment, localUrl, error), { cause: error });
    });
  const payload = jsonIn(Buffer.from(Payload ?? []).toString("utf8") || "null");
  if (FunctionError) {
    const { org } = command.opts<{ org?: string }>();
    throw new CommandError(failureMessage(payload, functionName, org));
  }
  const response = output.safeParse(payload);
  if (!response.success) {
    throw new CommandError(
      `The response of ${functionName} is not one that this version of the command expects. The function has run: see what it has done before you repeat the command. If it is of another version, run the command from that version.`,
    );
  }
  return response.data;
}

/** Checks an input as the function does, so that it is refused as a usage error. */
function check(schema: z.ZodMiniType, input: unknown): void {
  try {
    parse(schema, input, "The options");
  } catch (error) {
    throw error instanceof InvalidRequest ? new UsageError(withFlags(error.message)) : error;
  }
}

/** The message of a refusal or, if the function failed, which one it was. */
function failureMessage(payload: unknown, functionName: string, org: string | undefined): string {
  const failure = FunctionFailure.safeParse(payload);
  if (!failure.success) return `${functionName} failed. See its log.`;
  const { errorType, errorMessage } = failure.data;
  return Object.hasOwn(ERROR_STATUS, errorType)
    ? platformMessage(errorMessage, org)
    : `${functionName} failed (${errorType}: ${errorMessage}). See its log.`;
}

/** The value of a text in JSON, or undefined if it is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The URL of the local stack's Invoke API. */
async function localInvokeUrl(): Promise<string> {
  const file = join(process.env["LOCAL_DATA_DIR"] || ".local", "credentials.json");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      error.code === "ENOENT"
        ? `There is no ${file}. Start the local stack with npm start, or choose an --environment.`
        : `${file} cannot be read (${error.code}). It must be a file that you may read: correct that, or choose an --environment.`,
      { cause: error },
    );
  });
  const credentials = LocalCredentials.safeParse(jsonIn(text));
  if (!credentials.success) {
    throw new CommandError(
      `${file} is damaged. Correct it, or delete it and restart the local stack, which issues new keys.`,
    );
  }
  return credentials.data.invokeUrl;
}

/** An invocation whose response was lost is not repeated: it may have issued a key or begun a recovery. */
const ONCE = { maxAttempts: 1 };

/** Reaches AWS through the proxy of HTTPS_PROXY if there is one, as the CDK does. */
function awsClient(): LambdaClient {
  return new LambdaClient({
    ...ONCE,
    requestHandler: { httpsAgent: new Agent({ proxyEnv: process.env }) },
  });
}

function localClient(endpoint: string): LambdaClient {
  return new LambdaClient({
    ...ONCE,
    endpoint,
    region: "local",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    // The user's settings for AWS may ask for such endpoints.
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
  });
}
