import type { RequestRecord } from "./api-gateway/gateway.ts";
import type { LocalStack } from "./local-stack.ts";

/** The smallest candidate that the contract accepts, in words that a shell needs no escapes for. */
const CANDIDATE = {
  externalId: "candidate-1",
  firstName: "Ada",
  lastName: "Lovelace",
  email: "ada@example.com",
  countryOfResidence: "GB",
  consentGiven: true,
};

/** What is shown when the local stack is ready: where it is, who may call it, and a first call to paste. */
export function banner({ baseUrl, invokeUrl, organisations, credentialsFile }: LocalStack): string {
  const width = Math.max(...organisations.map(({ orgId }) => orgId.length));
  const key = organisations[0]?.apiKey;
  return `
  Ready at ${baseUrl}

  ${organisations.map(({ orgId, apiKey }) => `${orgId.padEnd(width)}  ${apiKey}`).join("\n  ")}

  For programs: ${credentialsFile}
  Lambda functions can be invoked at ${invokeUrl}

  Create a candidate:
  curl -sS ${baseUrl}/v1/candidates -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(CANDIDATE)}'

  Ctrl-C stops it.
`;
}

/** One line per request, without its path or query: they may hold personal data. */
export function requestLine({ httpMethod, resourcePath, statusCode, durationMs }: RequestRecord): string {
  return `${httpMethod} ${resourcePath ?? "(no route)"} ${statusCode} ${Math.round(durationMs)} ms`;
}
