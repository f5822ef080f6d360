import { expect } from "vitest";
import type { JsonObject } from "../contract/json.ts";
import type { Caller } from "./client.ts";

/** The six event types of the contract, without the extension events. */
export const CONTRACT_TYPES = [
  "candidate.received",
  "candidate.verified",
  "candidate.promoted",
  "candidate.validation_failed",
  "candidate.consent_revoked",
  "candidate.erased",
] as const;

const PATH = "/v1/webhook-endpoints";
const json = [["Content-Type", "application/json"]] as const;

/** The operations on webhook endpoints, as an integrator calls them. */
export function webhookEndpointsOf(caller: Caller) {
  return {
    register: (body: unknown) =>
      caller.send({ method: "POST", path: PATH, headers: json, body: JSON.stringify(body) }),
    list: () => caller.send({ method: "GET", path: PATH }),
    get: (id: unknown) => caller.send({ method: "GET", path: `${PATH}/${id}` }),
    update: (id: unknown, body: unknown) =>
      caller.send({ method: "PATCH", path: `${PATH}/${id}`, headers: json, body: JSON.stringify(body) }),
    delete: (id: unknown) => caller.send({ method: "DELETE", path: `${PATH}/${id}` }),
    rotateSecret: (id: unknown) => caller.send({ method: "POST", path: `${PATH}/${id}/rotate-secret` }),
    deliveries: (id: unknown, query: Readonly<Record<string, string>> = {}) =>
      caller.send({ method: "GET", path: `${PATH}/${id}/deliveries?${new URLSearchParams(query)}` }),
    resend: (id: unknown, eventId: unknown) =>
      caller.send({ method: "POST", path: `${PATH}/${id}/deliveries/${eventId}/resend` }),
    recover: (id: unknown, body: unknown) =>
      caller.send({
        method: "POST",
        path: `${PATH}/${id}/recoveries`,
        headers: json,
        body: JSON.stringify(body),
      }),
    recovery: (id: unknown, recoveryId: unknown) =>
      caller.send({ method: "GET", path: `${PATH}/${id}/recoveries/${recoveryId}` }),
    test: (id: unknown) => caller.send({ method: "POST", path: `${PATH}/${id}/test` }),
  };
}

/** Registers an endpoint, for the contract's event types unless others are named. */
export async function registered(
  caller: Caller,
  url: string,
  eventTypes: readonly string[] = CONTRACT_TYPES,
): Promise<JsonObject & { readonly id: string; readonly signingSecret: string }> {
  const { status, text, body } = await webhookEndpointsOf(caller).register({ url, eventTypes });
  expect(status, text).toBe(201);
  return body as JsonObject & { id: string; signingSecret: string };
}
