import { vi } from "vitest";
import type { Life } from "#candidates/outbox/candidate-lives";
import type { WebhookEvent } from "#contract/events";
import { deliver } from "#webhooks/delivery/deliver";
import type { Delivery } from "#webhooks/delivery/delivery";
import type { DeliveryRecord, LoggedDelivery } from "#webhooks/delivery/delivery-log";
import type { DeliveryService } from "#webhooks/delivery/delivery-service";
import type { AttemptResult, PostOptions } from "#webhooks/delivery/webhook-client";
import { failureCounterOf } from "#webhooks/endpoints/endpoint-health";
import type { Lane, LaterLane } from "#webhooks/endpoints/lane";
import { PACE_ATTRIBUTES, type Pace, paceAfter, paceAfterCut } from "#webhooks/endpoints/pace";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";
import { anEndpoint, anEndpointEvent, anEvent, EXTERNAL_ID, NOW } from "../builders.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 3_600 * SECOND;
export const SECRET = "whsec_secret";
/** The candidate of every event, with what a waiting message does not hold. */
export const ALIVE: Life = { isErased: false, firstSequence: 1, externalId: EXTERNAL_ID };

/** An endpoint after a write of its pace, which replaces all that it consists of. */
function withPace(endpoint: StoredEndpoint, pace: Pace | undefined): StoredEndpoint {
  if (pace === undefined) return endpoint;
  const others = Object.entries(endpoint).filter(([name]) => !(PACE_ATTRIBUTES as string[]).includes(name));
  return { ...(Object.fromEntries(others) as unknown as StoredEndpoint), ...pace };
}

/** What a delivery depends on, each a fake in memory whose members a test can let fail. */
export function aService(result: AttemptResult | ((attempt: number) => AttemptResult) = responded(204)) {
  const sent: { delivery: Delivery; lane: LaterLane; at: number }[] = [];
  const dead: Delivery[] = [];
  const endpoints = new Map<string, StoredEndpoint>();
  const records = new Map<string, Pick<DeliveryRecord, "status" | "attempts" | "nextAttemptAt" | "reason">>();
  const clock = { ms: NOW.getTime() };
  const now = () => new Date(clock.ms);
  const change = (id: string, changes: Partial<StoredEndpoint>) => {
    const endpoint = endpoints.get(id);
    if (endpoint) endpoints.set(id, { ...endpoint, ...changes });
    return endpoints.get(id);
  };
  const service = {
    lane: "delivery" as Lane,
    schedule: "standard" as const,
    lives: {
      find: vi.fn<DeliveryService["lives"]["find"]>(async () => ALIVE),
    },
    endpoints: {
      find: vi.fn(async (orgId: string, id: string) => {
        const endpoint = endpoints.get(id);
        return endpoint?.orgId === orgId ? endpoint : undefined;
      }),
    },
    health: {
      succeeded: vi.fn(async ({ id }: StoredEndpoint, durationMs: number) => {
        const endpoint = endpoints.get(id);
        if (!endpoint) return;
        const { failingSince, ...recovered } = endpoint;
        endpoints.set(id, withPace(recovered, paceAfter(endpoint, durationMs, now())));
      }),
      suspected: vi.fn(async ({ id }: StoredEndpoint) => {
        change(id, { suspectedSince: now().toISOString() });
      }),
      cut: vi.fn(async ({ id }: StoredEndpoint, lane: Exclude<Lane, "retry">) => {
        const endpoint = endpoints.get(id);
        if (endpoint) endpoints.set(id, withPace(endpoint, paceAfterCut(lane, now())));
      }),
      failedLate: vi.fn(async (_endpoint: StoredEndpoint) => {}),
      askedToWait: vi.fn(async (_endpoint: StoredEndpoint) => {}),
      failed: vi.fn(async ({ id }: StoredEndpoint) => {
        const failingSince = endpoints.get(id)?.failingSince ?? now().toISOString();
        return change(id, { failingSince });
      }),
      deactivate: vi.fn(async ({ id }: StoredEndpoint) => change(id, { active: false }) !== undefined),
    },
    signingSecrets: { open: vi.fn(async () => SECRET) },
    retries: {
      send: vi.fn(
        async (delivery: Delivery, lane: LaterLane) => void sent.push({ delivery, lane, at: clock.ms }),
      ),
    },
    deadLetters: {
      send: vi.fn(async (delivery: Delivery) => void dead.push(delivery)),
      park: vi.fn(async (_messageBody: string) => {}),
    },
    log: {
      find: vi.fn<DeliveryService["log"]["find"]>(async (_endpointId, eventId) => {
        const record = records.get(eventId);
        return record && ({ record, event: {} } as LoggedDelivery);
      }),
      // By the rules of DeliveryLog.
      record: vi.fn<DeliveryService["log"]["record"]>(
        async ({ eventId, resentAt, dueAt }, { status, nextAttemptAt, lastAttempt, reason }) => {
          const before = records.get(eventId);
          const attempts = [...(before?.attempts ?? []), ...(lastAttempt ? [lastAttempt] : [])];
          const ended = resentAt ? ["delivered"] : ["delivered", "failed", "dropped"];
          const goesOn = status !== "pending" && (before?.nextAttemptAt ?? "") > dueAt;
          const stays = before && status !== "delivered" && (goesOn || ended.includes(before.status));
          records.set(
            eventId,
            stays
              ? { ...before, attempts }
              : { status, attempts, ...(nextAttemptAt && { nextAttemptAt }), ...(reason && { reason }) },
          );
        },
      ),
    },
    client: {
      post: vi.fn(
        async (
          _url: string,
          headers: Readonly<Record<string, string>>,
          _body: string,
          _options: PostOptions,
        ): Promise<AttemptResult> =>
          typeof result === "function" ? result(Number(headers["X-RR-Delivery-Attempt"])) : result,
      ),
    },
    now,
    random: () => 0.5,
  } satisfies DeliveryService;
  return {
    service,
    sent,
    dead,
    clock,
    register: (overrides: Partial<StoredEndpoint> = {}) => {
      const endpoint = anEndpoint(overrides);
      endpoints.set(endpoint.id, endpoint);
      return endpoint;
    },
    stored: (id: string) => endpoints.get(id),
    remove: (id: string) => endpoints.delete(id),
    record: (eventId: string) => records.get(eventId),
    /** The recorded statuses, in order. */
    logged: () => service.log.record.mock.calls.map(([, { status }]) => status),
    /** Hands every message back when it is due, until none is left. */
    async run(first: Delivery) {
      await deliver(first, service);
      for (;;) {
        sent.sort((left, right) => left.delivery.dueAt.localeCompare(right.delivery.dueAt));
        const message = sent.shift();
        if (!message) return;
        clock.ms = Math.max(clock.ms, Date.parse(message.delivery.dueAt));
        await deliver(message.delivery, { ...service, lane: message.lane });
      }
    },
  };
}

/** The same service, in the function that consumes the retry queue. */
export function fromRetryQueue<Service extends DeliveryService>(service: Service): Service {
  return { ...service, lane: "retry" };
}

/** What a delivery has of its event. */
export function carrying(overrides: Partial<WebhookEvent>) {
  const event = anEvent(overrides);
  return { eventId: event.id, eventType: event.type, body: JSON.stringify(event) };
}

/** What a delivery has of an event about an endpoint. */
export function carryingNotice() {
  const event = anEndpointEvent();
  return { eventId: event.id, eventType: event.type, body: JSON.stringify(event) };
}

/** The counters of so many failures on each of these days, counted back from now. */
export function failures(each: number, ...daysAgo: readonly number[]) {
  return Object.fromEntries(
    daysAgo.map((days) => [failureCounterOf(new Date(NOW.getTime() - days * DAY)), each]),
  );
}

export function responded(statusCode: number, retryAfter?: number): AttemptResult {
  return { durationMs: 12, statusCode, retryAfter };
}
