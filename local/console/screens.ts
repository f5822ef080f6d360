import type { Address, Filters } from "./address.ts";
import { type Board, candidateKeyOf, type Part } from "./board.ts";
import type { DeliveryRequests } from "./delivery-requests.ts";
import type {
  CandidateView,
  DeliveryRow,
  DeliveryView,
  EndpointRow,
  EndpointView,
  EventRow,
  EventView,
  Opened,
  Page,
  ReceivedRow,
  ReceivedView,
  Screen,
} from "./page-data.ts";

/** The maximum number of items of a list: in its own view, and next to other lists. */
const VIEW_ITEMS = 50;
const OVERVIEW_ITEMS = 20;
const OPENED_ITEMS = 20;

interface ScreensOptions {
  readonly board: Board;
  readonly requests: DeliveryRequests;
  isReading(): boolean;
}

/** Selects from the board what an address shows. */
export class Screens {
  readonly #board: Board;
  readonly #requests: DeliveryRequests;
  readonly #isReading: () => boolean;

  constructor({ board, requests, isReading }: ScreensOptions) {
    this.#board = board;
    this.#requests = requests;
    this.#isReading = isReading;
  }

  of(address: Address): Screen {
    const { organisations, inboxes, endpoints } = this.#board;
    const known = [...organisations.values()].map(({ key }) => key);
    const organisation = address.org ?? known[0] ?? "";
    const isKnown = organisation === "" || known.includes(organisation);
    return {
      isReading: this.#isReading(),
      // The selected one even before it has been read.
      organisations: isKnown ? known : [...known, organisation],
      organisation,
      isOrganisationUnknown: !isKnown && !this.#isReading() && organisations.newestOnly === null,
      inboxes: [...inboxes.values()].filter(({ key }) => key === organisation || !organisations.get(key)),
      endpoints: [...endpoints.values()].filter(({ orgId }) => orgId === organisation).map(endpointRow),
      lists: this.#listsOf(address, organisation),
      opened: address.open === undefined ? null : this.#open(address.open, organisation),
    };
  }

  #listsOf({ view, filters, after }: Address, orgId: string): Screen["lists"] {
    const part = { limit: VIEW_ITEMS, after };
    switch (view) {
      case "candidates":
        return { candidates: this.#candidates(orgId, filters, part) };
      case "events":
        return { events: this.#events(orgId, filters, part) };
      case "deliveries":
        return { deliveries: this.#deliveries(orgId, filters, part) };
      case "endpoints":
        return {
          endpoints: rowsOf(
            this.#board.endpoints.page((endpoint) => endpoint.orgId === orgId, part),
            endpointRow,
          ),
        };
      case "inbox":
        return { received: this.#received(orgId, part) };
      case "overview": {
        const newest = { limit: OVERVIEW_ITEMS };
        return {
          candidates: this.#candidates(orgId, {}, newest),
          events: this.#events(orgId, {}, newest),
          deliveries: this.#deliveries(orgId, {}, newest),
          received: this.#received(orgId, newest),
        };
      }
    }
  }

  #candidates(orgId: string, { status, find = "" }: Filters, part: Part): Page<CandidateView> {
    return this.#board.candidates.page(
      (candidate) =>
        candidate.orgId === orgId &&
        (status === undefined || candidate.status === status) &&
        startsWith(find, candidate.externalId, candidate.stagedId, candidate.id),
      part,
    );
  }

  #events(orgId: string, { type, candidate = "" }: Filters, part: Part): Page<EventRow> {
    const page = this.#board.events.page(
      (event) =>
        event.orgId === orgId &&
        (type === undefined || event.type === type) &&
        (candidate === "" || startsWith(candidate, event.subject, ...this.#idsOf(event))),
      part,
    );
    return rowsOf(page, (event) => this.#eventRow(event));
  }

  #deliveries(orgId: string, { endpoint, status, type, event = "" }: Filters, part: Part): Page<DeliveryRow> {
    const page = this.#board.deliveries.page(
      (delivery) =>
        delivery.orgId === orgId &&
        (endpoint === undefined || delivery.endpointId === endpoint) &&
        (status === undefined || delivery.status === status) &&
        (type === undefined || delivery.eventType === type) &&
        startsWith(event, delivery.eventId),
      part,
    );
    return rowsOf(page, (delivery) => this.#deliveryRow(delivery));
  }

  #received(orgId: string, part: Part): Page<ReceivedRow> {
    const page = this.#board.received.page(
      ({ inbox }) => inbox === orgId || !this.#board.organisations.get(inbox),
      part,
    );
    return rowsOf(page, receivedRow);
  }

  #open(id: string, orgId: string): Opened {
    const { candidates, events, endpoints, deliveries, received } = this.#board;
    const belongs = (item: { readonly orgId: string } | undefined) => item?.orgId === orgId;
    const latest = { limit: OPENED_ITEMS };
    const candidate =
      candidates.get(candidateKeyOf(orgId, id)) ??
      (id.startsWith("cand_")
        ? [...candidates.values()].find((each) => belongs(each) && each.id === id)
        : undefined);
    if (candidate) {
      const { stagedId } = candidate;
      return { kind: "candidate", candidate, events: this.#events(orgId, { candidate: stagedId }, latest) };
    }
    const event = events.get(id);
    if (event && belongs(event)) {
      return {
        kind: "event",
        event: this.#eventRow(event),
        deliveries: this.#deliveries(orgId, { event: id }, latest),
      };
    }
    const endpoint = endpoints.get(id);
    if (endpoint && belongs(endpoint)) {
      return { kind: "endpoint", endpoint, deliveries: this.#deliveries(orgId, { endpoint: id }, latest) };
    }
    const delivery = deliveries.get(id);
    if (delivery && belongs(delivery)) return this.#openDelivery(delivery);
    const request = received.get(id);
    if (request) {
      return { kind: "received", received: request, eventId: headerOf(request, "x-rr-event-id") };
    }
    return { kind: "unknown", newestOnly: this.#listOf(id)?.newestOnly ?? null };
  }

  /** The list that contains an id, of those that the API also returns. */
  #listOf(id: string): { readonly newestOnly: number | null } | undefined {
    const { candidates, events, endpoints, deliveries } = this.#board;
    if (id.includes(":")) return deliveries;
    const lists = { staged_: candidates, cand_: candidates, evt_: events, whe_: endpoints };
    return Object.entries(lists).find(([prefix]) => id.startsWith(prefix))?.[1];
  }

  #openDelivery(delivery: DeliveryView): Opened {
    const endpoint = this.#board.endpoints.get(delivery.endpointId);
    return {
      kind: "delivery",
      delivery: this.#deliveryRow(delivery),
      endpoint: endpoint ? endpointRow(endpoint) : null,
      attempts: delivery.attempts.map((attempt, index) => ({
        ...attempt,
        request: this.#requests.of(delivery, index),
      })),
    };
  }

  #eventRow(event: EventView): EventRow {
    return {
      ...event,
      externalId: this.#candidateOf(event)?.externalId ?? null,
      awaitsFeed: event.inFeedSince === null && !event.sample && !this.#isReading(),
    };
  }

  #deliveryRow(delivery: DeliveryView): DeliveryRow {
    const { attempts, ...rest } = delivery;
    const request = this.#requests.of(delivery, attempts.length - 1);
    const endpoint = this.#board.endpoints.get(delivery.endpointId);
    const event = this.#board.events.get(delivery.eventId);
    const last = attempts.at(-1);
    return {
      ...rest,
      url: endpoint?.url ?? request?.url ?? null,
      isEndpointDeleted: !endpoint && !this.#isReading() && this.#board.endpoints.newestOnly === null,
      externalId: (event && this.#candidateOf(event)?.externalId) ?? null,
      attempts: attempts.length,
      lastAttemptAt: last?.at ?? null,
      lastOutcome: last?.statusCode ?? last?.failure ?? null,
      signature: request?.signature ?? null,
    };
  }

  #candidateOf({ orgId, subject }: EventView): CandidateView | undefined {
    return this.#board.candidates.get(candidateKeyOf(orgId, subject));
  }

  #idsOf(event: EventView): (string | null)[] {
    const candidate = this.#candidateOf(event);
    return candidate ? [candidate.externalId, candidate.id] : [];
  }
}

function startsWith(prefix: string, ...ids: readonly (string | null)[]): boolean {
  return prefix === "" || ids.some((id) => id?.startsWith(prefix));
}

function rowsOf<Item, Row>(page: Page<Item>, rowOf: (item: Item) => Row): Page<Row> {
  return { ...page, items: page.items.map(rowOf) };
}

function endpointRow({ eventTypes, description, ...row }: EndpointView): EndpointRow {
  return row;
}

function receivedRow(received: ReceivedView): ReceivedRow {
  const { key, inbox, receivedAt, response, signature } = received;
  return {
    key,
    inbox,
    receivedAt,
    response,
    signature,
    eventType: headerOf(received, "x-rr-event-type"),
    eventId: headerOf(received, "x-rr-event-id"),
    attempt: headerOf(received, "x-rr-delivery-attempt"),
  };
}

function headerOf({ headers }: ReceivedView, name: string): string | null {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? null;
}
