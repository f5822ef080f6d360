import { type AttributeValue, type DynamoDBClient, paginateScan } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import * as z from "zod/mini";
import { handlesOf, stagedIdOf } from "../../lib/candidates/handles.ts";
import { effectOf, isReadable } from "../../lib/candidates/lifecycle.ts";
import type { AbridgedEvent } from "../../lib/candidates/outbox/abridged-event.ts";
import { toCandidateEvent } from "../../lib/candidates/outbox/outbox.ts";
import type { CandidateItem } from "../../lib/candidates/store/item/candidate-item.ts";
import { parseCandidateKey, RECORD } from "../../lib/candidates/store/item/candidate-key.ts";
import { isEndpointEvent, type WebhookEvent } from "../../lib/contract/events.ts";
import { PLATFORM_TRANSITIONS } from "../../lib/contract/platform-transition.ts";
import { WebhookEndpoint } from "../../lib/contract/webhook-endpoint.ts";
import { DeliveryRecord } from "../../lib/webhooks/delivery/delivery-log.ts";
import { toEndpointEvent } from "../../lib/webhooks/endpoints/endpoint-event.ts";
import { readFeedItem } from "../../lib/webhooks/feed/feed-item.ts";
import type { StreamRecord } from "../event-sources/stream-record.ts";
import { type Board, candidateKeyOf, deliveryKeyOf } from "./board.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import type { CandidateAction } from "./page-data.ts";

/**
 * The attributes read from items: ids, states and times. No member of a candidate except its `externalId`, so that no
 * other personal data reaches the page.
 */
const ATTRIBUTES = [
  ...["pk", "sk", "orgId", "externalId", "status", "verificationStatus", "availabilityStatus"],
  ...["workReadinessScore", "receivedAt", "updatedAt", "promotedAt", "sequence", "event"],
  ...["id", "url", "eventTypes", "description", "active"],
  ...["failingSince", "disabledAt", "disabledReason", "lastSuccessAt", "missedSince"],
  ...["endpointId", "eventId", "eventType", "attempts", "nextAttemptAt", "sample", "events"],
] as const;

/** The members of an endpoint that the page shows, and since when it has missed events. */
const Endpoint = z.extend(
  z.pick(WebhookEndpoint, {
    url: true,
    eventTypes: true,
    description: true,
    active: true,
    failingSince: true,
    disabledAt: true,
    disabledReason: true,
    lastSuccessAt: true,
  }),
  { missedSince: z.optional(z.string()) },
);

/** The beginning of the partition key of each organisation's own item. */
const ORGANISATION = "ORGANISATION#";

type Item = Readonly<Record<string, unknown>> & { readonly pk: string; readonly sk: string };
type Attributes = Readonly<Record<string, AttributeValue>>;

interface TableReaderOptions {
  readonly board: Board;
  readonly secrets: KnownSecrets;
  /** Called for items that cannot be read. */
  onFault(error: unknown): void;
}

/** Keeps the board in sync with the table: reads it once as a whole, then follows its stream. */
export class TableReader {
  readonly #board: Board;
  readonly #secrets: KnownSecrets;
  readonly #onFault: (error: unknown) => void;
  /** During the initial read: the items that the stream has updated in the meantime, which are newer. */
  #updatedByStream: Set<string> | undefined;
  #following = false;

  constructor({ board, secrets, onFault }: TableReaderOptions) {
    this.#board = board;
    this.#secrets = secrets;
    this.#onFault = onFault;
  }

  /** Reads the table. Changes from its stream are applied from this moment on. */
  async read(client: DynamoDBClient, tableName: string): Promise<void> {
    this.#following = true;
    const updated = new Set<string>();
    this.#updatedByStream = updated;
    const pages = paginateScan(
      { client },
      {
        TableName: tableName,
        ProjectionExpression: ATTRIBUTES.map((name) => `#${name}`).join(", "),
        ExpressionAttributeNames: Object.fromEntries(ATTRIBUTES.map((name) => [`#${name}`, name])),
      },
    );
    for await (const { Items = [] } of pages) {
      const items = Items.map((item) => unmarshall(item) as Item);
      for (const item of items.filter((each) => !updated.has(nameOf(each)))) this.#show(item);
    }
    this.#updatedByStream = undefined;
  }

  /** Applies a write from the table's stream. */
  follow({ dynamodb: { Keys, NewImage } }: StreamRecord): void {
    if (!this.#following) return;
    const { pk, sk } = unmarshall(Keys as Attributes) as Item;
    this.#updatedByStream?.add(nameOf({ pk, sk }));
    if (!NewImage) {
      this.#forget(pk, sk);
      return;
    }
    const known = ATTRIBUTES.filter((name) => name in NewImage).map((name) => [name, NewImage[name]]);
    this.#show(unmarshall(Object.fromEntries(known)) as Item);
  }

  #show(item: Item): void {
    try {
      const candidate = candidateOf(item);
      if (candidate) this.#showCandidate(candidate.orgId, candidate.digest, item as Item & CandidateItem);
      else if (isEndpoint(item)) this.#showEndpoint(item);
      else if (item.sk.startsWith("DELIVERY#")) this.#showDelivery(item);
      else if (isOfFeed(item)) this.#showFeedItem(item);
      // Also an organisation that has no data yet.
      else if (item.pk.startsWith(ORGANISATION)) this.#showOrganisation(item.pk.slice(ORGANISATION.length));
    } catch (error) {
      // An unreadable item must not block the others, or the stream's reader.
      this.#onFault(error);
    }
  }

  #showCandidate(orgId: string, digest: string, item: Item & CandidateItem): void {
    this.#showOrganisation(orgId);
    const handles = handlesOf(digest, item);
    this.#board.candidates.put({
      key: candidateKeyOf(orgId, handles.stagedId),
      orgId,
      ...handles,
      externalId: typeof item["externalId"] === "string" ? item["externalId"] : null,
      status: item.status,
      verificationStatus: item.verificationStatus ?? null,
      availabilityStatus: item.availabilityStatus ?? null,
      workReadinessScore: item.workReadinessScore ?? null,
      receivedAt: item.receivedAt,
      updatedAt: item.updatedAt,
      actions: actionsFor(item),
    });
    if (item.event) this.#showEvent(orgId, toCandidateEvent(digest, item));
  }

  #showEndpoint(item: Item): void {
    const orgId = item.pk.slice("ENDPOINTS#".length);
    const key = item.sk.slice("ENDPOINT#".length);
    const endpoint = Endpoint.parse(item);
    this.#showOrganisation(orgId);
    this.#board.endpoints.put({
      key,
      orgId,
      url: endpoint.url,
      eventTypes: endpoint.eventTypes,
      description: endpoint.description,
      active: endpoint.active,
      failingSince: endpoint.failingSince ?? null,
      disabledAt: endpoint.disabledAt ?? null,
      disabledReason: endpoint.disabledReason ?? null,
      lastSuccessAt: endpoint.lastSuccessAt ?? null,
      missedSince: endpoint.missedSince ?? null,
      inbox: this.#secrets.inboxOf(key) ?? null,
    });
    if (item["event"]) this.#showEvent(orgId, toEndpointEvent(item));
  }

  #showDelivery(item: Item): void {
    const record = DeliveryRecord.parse(item);
    const { orgId, endpointId, eventId, eventType, status, nextAttemptAt = null, sample = false } = record;
    this.#board.deliveries.put({
      key: deliveryKeyOf(endpointId, eventId),
      orgId,
      endpointId,
      eventId,
      eventType,
      status,
      nextAttemptAt,
      sample,
      attempts: record.attempts,
    });
    const event: WebhookEvent = JSON.parse(String(item["event"]));
    if (!this.#board.events.get(event.id)) this.#showEvent(orgId, event);
  }

  #showFeedItem(item: Item): void {
    const [, orgId = ""] = item.pk.split("#");
    const { events: stored } = item;
    // A record of the stream has bytes in base64.
    const bytes = typeof stored === "string" ? Buffer.from(stored, "base64") : stored;
    const { position, events } = readFeedItem({ ...item, events: bytes });
    const [inFeedSince = null] = position.split("#");
    for (const event of events) this.#showEvent(orgId, event, inFeedSince);
  }

  #showEvent(
    orgId: string,
    event: WebhookEvent | AbridgedEvent,
    inFeedSince = this.#board.events.get(event.id)?.inFeedSince ?? null,
  ): void {
    const { id, type, occurredAt, sample = false } = event;
    const about = isEndpointEvent(event)
      ? { sequence: null, subject: event.data.webhookEndpointId }
      : { sequence: event.sequence, subject: event.data.stagedId };
    this.#board.events.put({ key: id, orgId, type, ...about, occurredAt, sample, inFeedSince });
  }

  #showOrganisation(orgId: string): void {
    if (!this.#board.organisations.get(orgId)) this.#board.organisations.put({ key: orgId });
  }

  #forget(pk: string, sk: string): void {
    const candidate = candidateOf({ pk, sk });
    if (candidate)
      this.#board.candidates.remove(candidateKeyOf(candidate.orgId, stagedIdOf(candidate.digest)));
    this.#board.endpoints.remove(sk.slice("ENDPOINT#".length));
    const [, endpointId = ""] = pk.split("#");
    this.#board.deliveries.remove(deliveryKeyOf(endpointId, sk.slice("DELIVERY#".length)));
  }
}

/** A reason that differs from any in an item, because the console does not read them. */
const REASONS = [{ code: "new", message: "" }];

function actionsFor(state: CandidateItem): CandidateAction[] {
  const candidate = { state, rejections: [] };
  const transitions = PLATFORM_TRANSITIONS.filter(
    (transition) => typeof effectOf(transition, candidate, REASONS) === "object",
  );
  return isReadable(state.status) ? [...transitions, "score"] : transitions;
}

/** The candidate of a record item; undefined for other items under the same partition key. */
function candidateOf({ pk, sk }: Pick<Item, "pk" | "sk">) {
  return sk === RECORD ? parseCandidateKey(pk) : undefined;
}

function isEndpoint({ sk }: Pick<Item, "sk">): boolean {
  return sk.startsWith("ENDPOINT#");
}

function isOfFeed({ pk }: Pick<Item, "pk">): boolean {
  return pk.startsWith("FEED#");
}

function nameOf({ pk, sk }: Pick<Item, "pk" | "sk">): string {
  return `${pk} ${sk}`;
}
