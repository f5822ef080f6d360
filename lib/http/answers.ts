import type { APIGatewayProxyResult } from "aws-lambda";
import type { Candidate } from "#candidates/candidate";
import { toCandidateRecord } from "#candidates/projection";
import { entityTagOf } from "#http/entity-tag";

/** What an operation answers; the headers that every answer carries are added by the envelope. */
export type Answer = APIGatewayProxyResult;

type Headers = Readonly<Record<string, string>>;

export function ok(body: unknown, headers: Headers = {}): Answer {
  return json(200, body, headers);
}

export function created(body: unknown, headers: Headers = {}): Answer {
  return json(201, body, headers);
}

/** Taken on, to be done soon: an empty body. */
export function accepted(): Answer {
  return empty(202);
}

export function noContent(): Answer {
  return empty(204);
}

/** A candidate's safe projection with its entity tag: the only form in which a candidate leaves the service. */
export function candidateRecord(candidate: Candidate): Answer {
  return ok(toCandidateRecord(candidate), { ETag: entityTagOf(candidate) });
}

/**
 * API Gateway adds `Content-Type: application/json` to a response that has none, unless the function returns
 * null for it, as AWS's library for .NET does (aws-lambda-dotnet, `APIGatewayProxyFunction`). The types know
 * no null.
 */
function empty(statusCode: number): Answer {
  return { statusCode, multiValueHeaders: { "Content-Type": [null as unknown as string] }, body: "" };
}

function json(statusCode: number, body: unknown, headers: Headers): Answer {
  return {
    statusCode,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}
