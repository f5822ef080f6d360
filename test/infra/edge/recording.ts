import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { bodyOf } from "../../builders/proxy-event.ts";
import type { ParsedInvocation } from "../../parsed-invocation.ts";
import { rulesMatching, type WebRequest } from "./managed-rules.ts";

/** Statuses of requests that the contract does not admit: they may be refused at the edge just as well. */
const REFUSED = new Set([400, 405, 413, 415]);

/** Writes to a file which managed rules the requests match that the contract admits, each rule once. */
export function recordMatchedRules(file: string): (invocation: ParsedInvocation) => void {
  const seen = new Set<string>();
  writeFileSync(file, "");
  return ({ event, response }) => {
    if (!isRequest(event) || !isResponse(response) || REFUSED.has(response.statusCode)) return;
    for (const rule of rulesMatching(webRequestOf(event))) {
      if (seen.has(rule)) continue;
      seen.add(rule);
      appendFileSync(file, `${rule}\n`);
    }
  };
}

export function readMatchedRules(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").slice(0, -1);
}

function webRequestOf(event: APIGatewayProxyEvent): WebRequest {
  return {
    method: event.httpMethod,
    path: decodeURIComponent(event.path),
    headers: {
      ...Object.fromEntries(
        Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value ?? ""]),
      ),
      // Where the tests reach the API is no matter of the caller's.
      host: "abc.execute-api.eu-west-1.amazonaws.com",
    },
    query: Object.fromEntries(
      Object.entries(event.multiValueQueryStringParameters ?? {}).map(([name, values]) => [
        name,
        values ?? [],
      ]),
    ),
    body: bodyOf(event),
  };
}

/** An authorizer's event is no request, and neither is what a stream, a queue or the platform sends. */
function isRequest(event: unknown): event is APIGatewayProxyEvent {
  return typeof event === "object" && event !== null && "httpMethod" in event && "body" in event;
}

function isResponse(response: unknown): response is APIGatewayProxyResult {
  return typeof response === "object" && response !== null && "statusCode" in response;
}
