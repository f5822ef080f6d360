import { CandidateServiceClient, type ClientOptions } from "../src/index.ts";
import { UsageError } from "./errors.ts";

interface Connection {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * A client of an environment.
 *
 * @throws UsageError if the address or the key is missing or cannot be used
 */
export function connect(
  { url, key }: Connection,
  options: Omit<ClientOptions, "baseUrl" | "apiKey">,
): CandidateServiceClient {
  if (!url) {
    throw new UsageError("Set the address of the environment with --url or the variable CANDIDATES_URL.");
  }
  if (!key) throw new UsageError("Set the API key with the variable CANDIDATES_API_KEY or --key.");
  try {
    return new CandidateServiceClient({ baseUrl: url, apiKey: key, ...options });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`--url and --key: ${error.message}`);
    throw error;
  }
}
