import type { DeliveryRecord } from "../../lib/webhooks/delivery/delivery-log.ts";
import type { SentRequest } from "../lambda/sent-requests.ts";

/** The most requests that are kept. */
const MOST_KEPT = 500;
/** The tolerance between the recorded times of an attempt and of its request, in ms. */
const GRAIN_MS = 20;
/** After every attempt. */
const LATEST = "9999-12-31T23:59:59Z";

/** The latest requests of deliveries, found by the attempt that sent them. */
export class SentRequests {
  readonly #requests: (SentRequest & { readonly eventId: string; readonly attempt: number })[] = [];

  add(request: SentRequest): void {
    const headers = new Map(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
    const eventId = headers.get("x-rr-event-id");
    if (eventId === undefined) return;
    this.#requests.push({ ...request, eventId, attempt: Number(headers.get("x-rr-delivery-attempt")) });
    if (this.#requests.length > MOST_KEPT) this.#requests.shift();
  }

  /**
   * The requests that a delivery's attempt may have sent, earliest first: several if the same event went to several
   * endpoints at that time. After a resend an event counts its attempts from 1 again, so the time distinguishes
   * them.
   */
  of({ eventId, attempts }: Pick<DeliveryRecord, "eventId" | "attempts">, index: number): SentRequest[] {
    const { attempt, at } = attempts[index] ?? {};
    const from = Date.parse(at ?? "") - GRAIN_MS;
    const to = Date.parse(attempts[index + 1]?.at ?? LATEST) - GRAIN_MS;
    return this.#requests.filter(
      (request) =>
        request.eventId === eventId && request.attempt === attempt && request.at >= from && request.at < to,
    );
  }
}
