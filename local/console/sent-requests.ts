import type { SentRequest } from "../lambda/sent-requests.ts";
import type { DeliveryView } from "./page-data.ts";

/** The most events whose requests are kept. */
const MOST_EVENTS = 1_000;
/** The tolerance between the recorded times of an attempt and of its request, in ms. */
const GRAIN_MS = 20;

type SentAttempt = SentRequest & { readonly attempt: number };

/** The latest requests of deliveries, found by the attempt that sent them. */
export class SentRequests {
  /** By event id, the event with the oldest requests first. */
  readonly #byEvent = new Map<string, SentAttempt[]>();

  add(request: SentRequest): void {
    const headers = new Map(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
    const eventId = headers.get("x-rr-event-id");
    if (eventId === undefined) return;
    const requests = this.#byEvent.get(eventId) ?? [];
    requests.push({ ...request, attempt: Number(headers.get("x-rr-delivery-attempt")) });
    this.#byEvent.delete(eventId);
    this.#byEvent.set(eventId, requests);
    const [oldest] = this.#byEvent.keys();
    if (oldest !== undefined && this.#byEvent.size > MOST_EVENTS) this.#byEvent.delete(oldest);
  }

  /**
   * The requests that a delivery's attempt may have sent, earliest first: several if the same event went to several
   * endpoints at that time. After a resend an event counts its attempts from 1 again, so the time distinguishes
   * them.
   */
  of({ eventId, attempts }: Pick<DeliveryView, "eventId" | "attempts">, index: number): SentRequest[] {
    const { attempt, at } = attempts[index] ?? {};
    const from = Date.parse(at ?? "") - GRAIN_MS;
    const next = attempts[index + 1];
    const to = next ? Date.parse(next.at) - GRAIN_MS : Number.POSITIVE_INFINITY;
    const requests = this.#byEvent.get(eventId) ?? [];
    return requests.filter((request) => request.attempt === attempt && request.at >= from && request.at < to);
  }
}
