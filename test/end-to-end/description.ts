import { expect } from "vitest";
import type { oas31 } from "zod-openapi";
import {
  type DescribedOperation,
  deliveries,
  description,
  jsonSchemaOf,
  operations,
  resolve,
  violation,
} from "../docs/description.ts";
import type { Received, Request, Response } from "./messages.ts";

/** Headers that HTTP, API Gateway and what stands before it add by themselves. */
const NOT_OURS =
  /^(?:connection|content-length|content-type|date|keep-alive|server|transfer-encoding|via|x-amz.*)$/;

/** Holds a response, and the body of its request, against the description. */
export function expectDescribed(request: Request, response: Response): void {
  const path = request.path.split("?")[0] ?? "";
  const operation = operations.find(({ route }) => matches(route, request.method, path));
  const where = `${request.method} ${operation?.route ?? "(not described)"} ${response.status}`;
  const reference = operation
    ? operation.operation.responses?.[response.status]
    : description.components?.responses?.["OtherError"];
  expect(reference, `${where} is described`).toBeDefined();
  if (!reference) return;
  const described = resolve(reference);
  expectHeaders(described.headers ?? {}, response, where);
  if (request.method !== "HEAD") expectBody(described, response, where);
  if (operation && response.status < 300) expectRequestBody(operation, request, response, where);
}

/** Holds a delivery against the description of its event. */
export function expectDescribedDelivery({ headers, body, event }: Received): void {
  const delivery = deliveries.find(({ route }) => route === `POST ${event.type}`);
  expect(delivery, event.type).toBeDefined();
  for (const { name, required, schema = {} } of delivery?.parameters ?? []) {
    const value = headers[name.toLowerCase()];
    if (required || value !== undefined) expect(violation(schema, value, "closed"), name).toBeUndefined();
  }
  const schema = jsonSchemaOf(delivery?.operation.requestBody as oas31.RequestBodyObject);
  expect(violation(schema ?? {}, JSON.parse(body), "closed"), event.type).toBeUndefined();
}

function matches(route: string, method: string, path: string): boolean {
  const [describedMethod, template = ""] = route.split(" ");
  const expression = template.replaceAll(/\{\w+\}/g, "[^/]+");
  return method === describedMethod && new RegExp(`^${expression}/?$`).test(path);
}

function expectHeaders(
  described: NonNullable<oas31.ResponseObject["headers"]>,
  response: Response,
  where: string,
): void {
  const undescribed = new Set(Object.keys(response.headers).filter((name) => !NOT_OURS.test(name)));
  for (const [name, reference] of Object.entries(described)) {
    const { required = false, schema = {} } = resolve(reference);
    const value = response.headers[name.toLowerCase()];
    undescribed.delete(name.toLowerCase());
    if (value === undefined) expect(required, `${where} lacks ${name}`).toBe(false);
    else expect(violation(schema, value, "closed"), `${where} ${name}: ${value}`).toBeUndefined();
  }
  expect([...undescribed], `${where} has headers that are not described`).toEqual([]);
}

function expectBody(described: oas31.ResponseObject, { status, text, body }: Response, where: string): void {
  const schema = jsonSchemaOf(described);
  if (!schema) {
    expect(text, where).toBe("");
    return;
  }
  expect(violation(schema, body, "closed"), `${where} ${text}`).toBeUndefined();
  if (status < 400 || status === 404) return;
  const codes = Object.keys(described.content?.["application/json"]?.examples ?? {});
  expect(codes, where).toContain(body["error"]);
}

function expectRequestBody(
  { operation }: DescribedOperation,
  { body }: Request,
  response: Response,
  where: string,
): void {
  const schema = jsonSchemaOf(operation.requestBody as oas31.RequestBodyObject | undefined);
  // The decoder leaves out a byte order mark, as the service does.
  const sent = schema && body !== undefined && new TextDecoder().decode(Buffer.from(body));
  const taken = sent && acceptedOf(JSON.parse(sent), response);
  if (taken) expect(violation(schema, taken, "published"), `${where} took`).toBeUndefined();
}

/** The part of a body that was accepted: of a batch the rows that were received, if there are any. */
function acceptedOf(sent: { readonly candidates?: readonly unknown[] }, { body }: Response): unknown {
  const { results } = body as { readonly results?: readonly { readonly status: number }[] };
  if (!results) return sent;
  const candidates = sent.candidates?.filter((_, index) => results[index]?.status === 201) ?? [];
  return candidates.length > 0 && { ...sent, candidates };
}
