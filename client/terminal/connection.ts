import { CandidateServiceClient, type CandidateServiceError, type ClientOptions } from "../src/index.ts";
import { UsageError } from "./errors.ts";
import { reachLoopbackDirectly } from "./loopback-proxy.ts";
import { shortened } from "./shortened.ts";

/** How a user sets the option that a message of the client begins with. */
const OPTIONS: Readonly<Record<string, string>> = {
  baseUrl: "--url or CANDIDATES_URL",
  apiKey: "--key or CANDIDATES_API_KEY",
};

interface Connection {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * A client of an environment.
 *
 * @throws UsageError if the address or the key is missing or cannot be used
 */
export function createClient(
  { url, key }: Connection,
  options: Omit<ClientOptions, "baseUrl" | "apiKey">,
): CandidateServiceClient {
  if (!url) {
    throw new UsageError("Set the address of the environment with --url or the variable CANDIDATES_URL.");
  }
  if (!key) throw new UsageError("Set the API key with the variable CANDIDATES_API_KEY or --key.");
  try {
    const client = new CandidateServiceClient({ baseUrl: url, apiKey: key, ...options });
    const { protocol, hostname } = new URL(url);
    // The client accepts http only on this machine. A proxy would get the key and the candidates unencrypted.
    if (protocol === "http:") reachLoopbackDirectly(process.env, [hostname]);
    return client;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(inOptions(error.message), { cause: error });
  }
}

/** The message of a failed call. Where the client names its own option, it names the command's. */
export function messageOf({ code, message }: CandidateServiceError): string {
  // Any other message is the service's.
  return code === "unexpected_response" ? inOptions(message) : message;
}

/** A failed call in a sentence: the service's code and message, and the request's id. */
export function failureText(error: CandidateServiceError): string {
  const { code, requestId } = error;
  const request = requestId ? ` (request ${requestId})` : "";
  return `${shortened(code)}: ${shortened(messageOf(error))}${request}`;
}

function inOptions(message: string): string {
  return message.replace(/\b(?:baseUrl|apiKey)\b/, (name) => OPTIONS[name] ?? name);
}
