import type { APIGatewayProxyResult } from "aws-lambda";
import type { Candidate } from "#candidates/candidate";
import { toCandidateRecord } from "#candidates/projection";
import type { CandidateRecord } from "#contract/candidate-record";
import { entityTagOf } from "#http/entity-tag";

type Headers = Readonly<Record<string, string>>;

/** The body of a success with headers of its own; those of every answer are added by the envelope. */
export class WithHeaders<Body> {
  readonly body: Body;
  readonly headers: Headers;

  constructor(body: Body, headers: Headers) {
    this.body = body;
    this.headers = headers;
  }
}

/** A candidate's safe projection with its entity tag: the only form in which a candidate leaves the service. */
export function candidateRecord(candidate: Candidate): WithHeaders<CandidateRecord> {
  return new WithHeaders(toCandidateRecord(candidate), { ETag: entityTagOf(candidate) });
}

/** The response of an operation that returned this: a body, one with headers, or nothing. */
export function success(statusCode: number, result: unknown): APIGatewayProxyResult {
  if (result === undefined) return empty(statusCode);
  const { body, headers } = result instanceof WithHeaders ? result : { body: result, headers: {} };
  return {
    statusCode,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/**
 * API Gateway adds `Content-Type: application/json` to a response that has none, unless the function returns
 * null for it, as AWS's library for .NET does (aws-lambda-dotnet, `APIGatewayProxyFunction`). The types know
 * no null.
 */
function empty(statusCode: number): APIGatewayProxyResult {
  return { statusCode, multiValueHeaders: { "Content-Type": [null as unknown as string] }, body: "" };
}
