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
import type { Answer, Received, Request } from "./messages.ts";

/** Headers that HTTP, API Gateway and what stands before it add by themselves. */
const NOT_OURS =
  /^(?:connection|content-length|content-type|date|keep-alive|server|transfer-encoding|via|x-amz.*)$/;

/** Holds an answer, and the body that was sent for it, against the description. */
export function expectDescribed(request: Request, answer: Answer): void {
  const path = request.path.split("?")[0] ?? "";
  const operation = operations.find(({ route }) => matches(route, request.method, path));
  const where = `${request.method} ${operation?.route ?? "(not described)"} ${answer.status}`;
  const response = operation
    ? operation.operation.responses?.[answer.status]
    : description.components?.responses?.["OtherError"];
  expect(response, `${where} is described`).toBeDefined();
  if (!response) return;
  const described = resolve(response);
  expectHeaders(described.headers ?? {}, answer, where);
  if (request.method !== "HEAD") expectBody(described, answer, where);
  if (operation && answer.status < 300) expectRequestBody(operation, request, answer, where);
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
  answer: Answer,
  where: string,
): void {
  const undescribed = new Set(Object.keys(answer.headers).filter((name) => !NOT_OURS.test(name)));
  for (const [name, reference] of Object.entries(described)) {
    const { required = false, schema = {} } = resolve(reference);
    const value = answer.headers[name.toLowerCase()];
    undescribed.delete(name.toLowerCase());
    if (value === undefined) expect(required, `${where} lacks ${name}`).toBe(false);
    else expect(violation(schema, value, "closed"), `${where} ${name}: ${value}`).toBeUndefined();
  }
  expect([...undescribed], `${where} has headers that are not described`).toEqual([]);
}

function expectBody(described: oas31.ResponseObject, { status, text, body }: Answer, where: string): void {
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
  answer: Answer,
  where: string,
): void {
  const schema = jsonSchemaOf(operation.requestBody as oas31.RequestBodyObject | undefined);
  // The decoder leaves out a byte order mark, as the service does.
  const sent = schema && body !== undefined && new TextDecoder().decode(Buffer.from(body));
  const taken = sent && acceptedOf(JSON.parse(sent), answer);
  if (taken) expect(violation(schema, taken, "published"), `${where} took`).toBeUndefined();
}

/** The part of a body that was accepted: of a batch the rows that were received, if there are any. */
function acceptedOf(sent: { readonly candidates?: readonly unknown[] }, { body }: Answer): unknown {
  const { results } = body as { readonly results?: readonly { readonly status: number }[] };
  if (!results) return sent;
  const candidates = sent.candidates?.filter((_, index) => results[index]?.status === 201) ?? [];
  return candidates.length > 0 && { ...sent, candidates };
}
