import { expect } from "vitest";
import type { JsonObject } from "../contract/json.ts";
import type { Caller } from "./client.ts";
import { JSON_TYPE } from "./messages.ts";
import { anOrganisation } from "./platform.ts";
import { aReceiver, type Respond } from "./receiver.ts";

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

/** An endpoint's id of the right form that no endpoint has. */
export const UNKNOWN_ENDPOINT_ID = `whe_${"0".repeat(26)}`;

/** The operations on webhook endpoints, as an integrator calls them. */
export function webhookEndpointsOf(caller: Caller) {
  return {
    register: (body: unknown) =>
      caller.send({ method: "POST", path: PATH, headers: JSON_TYPE, body: JSON.stringify(body) }),
    list: () => caller.send({ method: "GET", path: PATH }),
    get: (id: unknown) => caller.send({ method: "GET", path: `${PATH}/${id}` }),
    update: (id: unknown, body: unknown) =>
      caller.send({ method: "PATCH", path: `${PATH}/${id}`, headers: JSON_TYPE, body: JSON.stringify(body) }),
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
        headers: JSON_TYPE,
        body: JSON.stringify(body),
      }),
    recovery: (id: unknown, recoveryId: unknown) =>
      caller.send({ method: "GET", path: `${PATH}/${id}/recoveries/${recoveryId}` }),
    test: (id: unknown) => caller.send({ method: "POST", path: `${PATH}/${id}/test` }),
  };
}

/** An organisation that no other test knows, with the operations on its endpoints. */
export async function anIntegrator() {
  const organisation = await anOrganisation();
  return { ...organisation, endpoints: webhookEndpointsOf(organisation.caller) };
}

/**
 * An integrator with a receiver, to which the endpoint delivers. A concurrent test gives the `onTestFinished` of its
 * context.
 */
export async function aSubscriber({ respond, onTestFinished, eventTypes }: Subscription = {}) {
  const integrator = await anIntegrator();
  const receiver = await aReceiver(respond, onTestFinished);
  const { id: endpointId } = await registered(integrator.caller, receiver.url, eventTypes);
  return { ...integrator, receiver, endpointId };
}

interface Subscription {
  readonly respond?: Respond | undefined;
  readonly onTestFinished?: (close: () => void) => void;
  readonly eventTypes?: readonly string[];
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
