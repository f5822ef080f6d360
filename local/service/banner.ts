import type { RequestRecord } from "../api-gateway/gateway.ts";
import { SAMPLE_CANDIDATE } from "../console/sample-candidate.ts";
import type { LocalService } from "./local-service.ts";

/** Otherwise nobody would know why an endpoint became inactive within two minutes. */
const PRACTISING = `
  Practice: a delivery is retried for about a minute, and a failing endpoint is set inactive after 90 seconds`;

/** The text shown when the local stack is ready: addresses, keys, and a first call to paste. */
export function banner(
  { baseUrl, invokeUrl, organisations, credentialsFile, functionsLog }: LocalService,
  { practice }: { readonly practice: boolean },
): string {
  const width = Math.max(...organisations.map(({ orgId }) => orgId.length));
  const key = organisations[0]?.apiKey;
  return `
  Ready at ${baseUrl}${practice ? PRACTISING : ""}
  Start here: ${baseUrl}/docs/guides/first-call
  Reference at ${baseUrl}/docs
  Console at ${baseUrl}/console

  ${organisations.map(({ orgId, apiKey }) => `${orgId.padEnd(width)}  ${apiKey}`).join("\n  ")}

  Base URL and keys as JSON: ${credentialsFile}
  Logs of the functions, including errors: ${functionsLog}
  Lambda functions can be invoked at ${invokeUrl}

  Create a candidate:
  curl -sS ${baseUrl}/v1/candidates -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(SAMPLE_CANDIDATE)}'

  Press Ctrl-C to stop.
`;
}

/** One line per request, without its path or query, which may contain personal data. */
export function requestLine({ httpMethod, resourcePath, statusCode, durationMs }: RequestRecord): string {
  return `${httpMethod} ${resourcePath ?? "(no route)"} ${statusCode} ${Math.round(durationMs)} ms`;
}
