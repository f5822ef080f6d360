import type { DeliveryRecord } from "../../lib/webhooks/delivery/delivery-log.ts";
import type { SentRequest } from "../lambda/sent-requests.ts";

/** How many requests are kept. */
const MOST_KEPT = 500;
/** What an attempt notes as its time and what its request does are read a moment apart, in ms. */
const GRAIN_MS = 20;
/** After every attempt. */
const LATEST = "9999-12-31T23:59:59Z";

/** The requests that deliveries sent lately, found by the try that sent them. */
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
   * Those that a delivery's try may have sent, earliest first: several when the same event went to more
   * endpoints at that time. An event that is sent once more counts its attempts from 1 again, so that the time
   * tells them apart.
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
