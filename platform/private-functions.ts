import { readFile } from "node:fs/promises";
import { Agent } from "node:https";
import { join } from "node:path";
import {
  InvokeCommand,
  LambdaClient,
  type LambdaServiceException,
  ResourceNotFoundException,
  TooManyRequestsException,
} from "@aws-sdk/client-lambda";
import type { Command } from "commander";
import * as z from "zod/mini";
import { ERROR_STATUS, InvalidRequest } from "#contract/errors";
import { parse } from "#contract/parse";
import type { EnvironmentName } from "#runtime/environment";
import { CommandError, UsageError } from "../client/terminal/errors.ts";
import { nonFiniteAsText } from "../client/terminal/printable.ts";
import { withFlags } from "./flags.ts";

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
      throw new CommandError(unreachable(functionName, environment, localUrl, error), { cause: error });
    });
  const payload = parsed(Buffer.from(Payload ?? []).toString("utf8") || "null");
  if (FunctionError) {
    const failure = FunctionFailure.safeParse(payload);
    throw new CommandError(
      failure.success
        ? sentenceOf(failure.data, functionName, command)
        : `${functionName} failed. See its log.`,
    );
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

/** A text's JSON value, or undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What messages ask an integrator to send, and what they say to the platform, which has no key of the organisation. */
const REQUESTS: readonly (readonly [asked: RegExp, instead: string])[] = [
  [/\bSend PATCH\b/, "Its organisation must send PATCH"],
  [/\bsend another with POST\b/, "its organisation can send another with POST"],
  [/\bAmend (?:the candidate )?with\b/, "Its organisation must amend the candidate with"],
  [/\bCreate the candidate again\b/, "Its organisation must create the candidate again"],
  [/\bCheck the id against the list\b/, "Its organisation can check the id against the list"],
  [/\bRepeat the request after Retry-After seconds\b/, "Repeat the command later"],
];

/** The message of a refusal or, if the function failed, which one it was. */
function sentenceOf(
  { errorType, errorMessage }: z.infer<typeof FunctionFailure>,
  functionName: string,
  command: Command,
): string {
  const { org } = command.opts<{ org?: string }>();
  if (!Object.hasOwn(ERROR_STATUS, errorType))
    return `${functionName} failed (${errorType}: ${errorMessage}). See its log.`;
  // Integrators get the same message, about the organisation of their key.
  const message = withFlags(errorMessage).replace(/\b(y)our organisation\b/i, (found, y) =>
    org === undefined ? found : `${y === "Y" ? "Organisation" : "organisation"} ${org}`,
  );
  return REQUESTS.reduce((sentence, [asked, instead]) => sentence.replace(asked, instead), message);
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
  const credentials = LocalCredentials.safeParse(parsed(text));
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

function unreachable(
  functionName: string,
  environment: EnvironmentName | undefined,
  localUrl: string | undefined,
  error: Error,
): string {
  if (error instanceof ResourceNotFoundException) {
    return `There is no function ${functionName}. Deploy the ${environment ?? "local"} stack first, and check AWS_REGION.`;
  }
  if (error instanceof TooManyRequestsException) {
    return `${functionName} was throttled (${error.message}) and has not run. Repeat the command later.`;
  }
  if (isLost(error)) {
    return `The response of ${functionName} was lost (${reasonOf(error)}). The function may have run: see what it has done before you repeat the command.`;
  }
  return localUrl === undefined
    ? `${functionName} could not be invoked (${error.name}: ${reasonOf(error)}). Check your AWS credentials and AWS_REGION.`
    : `The local stack does not respond at ${localUrl}. Start it with npm start.`;
}

/** The causes that break an open connection, on which the request may have been sent. */
const LOST: readonly unknown[] = ["ECONNRESET", "EPIPE", "ETIMEDOUT"];

/** Whether the request may have been received, although its response was not, or was that of a fault of AWS. */
function isLost(error: Error): boolean {
  if (statusCodeOf(error) >= 500) return true;
  const { code, syscall }: NodeJS.ErrnoException = error;
  return LOST.includes(code) && syscall !== "connect" && !(error instanceof AggregateError);
}

/** The status code of the response, whatever its body is; 0 if there was none. */
function statusCodeOf({ $metadata }: Partial<LambdaServiceException>): number {
  return $metadata?.httpStatusCode ?? 0;
}

function reasonOf(error: Error): string {
  // A host name with several addresses could not be connected to at any of them: an error for each, and no message.
  if (error instanceof AggregateError) return error.errors.map(({ message }: Error) => message).join(", ");
  const statusCode = statusCodeOf(error);
  // The body of the response was no JSON, as that of a load balancer.
  return error instanceof SyntaxError && statusCode > 0 ? `status code ${statusCode}` : error.message;
}
