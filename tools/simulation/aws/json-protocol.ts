import { ServiceException } from "@smithy/core/client";
import { HttpResponse } from "@smithy/core/protocols";
import { fromBase64, toBase64 } from "@smithy/core/serde";
import { SqsError } from "../../../local/sqs/errors.ts";
import { type ServiceName, ServiceRefusal } from "./network.ts";

/** The namespaces of the error types, as the services send them. */
const NAMESPACES: Readonly<Record<ServiceName, string>> = {
  dynamodb: "com.amazonaws.dynamodb.v20120810",
  secretsmanager: "com.amazonaws.secretsmanager",
  sqs: "com.amazonaws.sqs",
  streams: "com.amazonaws.dynamodb.v20120810",
};

/** The action and the input of a request in the AWS JSON protocols 1.0 and 1.1, DynamoDB's binary values as bytes. */
export function readRequest(headers: Readonly<Record<string, string>>, body: string | Uint8Array) {
  const { "x-amz-target": target = "" } = headers;
  const text =
    typeof body === "string" ? body : Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  return { action: target.slice(target.indexOf(".") + 1), input: JSON.parse(text, binary) as object };
}

/**
 * Only an attribute value's members `B` and `BS` have a string and strings: what an item calls by these names is an
 * object, and an expression's names begin with `#`.
 */
function binary(name: string, value: unknown): unknown {
  if (name === "B" && typeof value === "string") return fromBase64(value);
  if (name === "BS" && Array.isArray(value)) return value.map((member: string) => fromBase64(member));
  return value;
}

export function responseOf(output: object): HttpResponse {
  return jsonResponse(200, output);
}

/**
 * An error as its service sends it.
 *
 * @returns undefined when it is no service's
 */
export function errorResponseOf(service: ServiceName, error: unknown): HttpResponse | undefined {
  const errorResponse = (statusCode: number, type: string, members: object) =>
    jsonResponse(statusCode, { __type: `${NAMESPACES[service]}#${type}`, ...members });
  if (error instanceof ServiceRefusal) {
    const { message } = error;
    return error.kind === "throttled"
      ? errorResponse(400, "ThrottlingException", { message })
      : errorResponse(500, "InternalServerError", { message });
  }
  if (error instanceof SqsError) {
    return errorResponse(error.status, error.code, { message: error.message });
  }
  if (error instanceof ServiceException) {
    const { $metadata, message } = error;
    const members = Object.entries(error).filter(([name]) => name !== "name" && !name.startsWith("$"));
    return errorResponse($metadata.httpStatusCode ?? 400, error.name, {
      ...Object.fromEntries(members),
      message,
    });
  }
  return undefined;
}

function jsonResponse(statusCode: number, body: object): HttpResponse {
  const headers = { "content-type": "application/x-amz-json-1.0" };
  return new HttpResponse({ statusCode, headers, body: Buffer.from(JSON.stringify(body, wireValue)) });
}

/** Bytes as base64, a date in seconds since 1970; JSON.stringify has replaced them in `value` by then. */
function wireValue(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const original = this[name];
  if (original instanceof Uint8Array) return toBase64(original);
  return original instanceof Date ? original.getTime() / 1000 : value;
}
