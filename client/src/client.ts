import { arrayOf, isObject, isText } from "./checks.ts";
import type {
  CandidateAmendment,
  CandidateBatchResponse,
  CandidateRecord,
  CandidateSubmission,
  CreatedWebhookEndpoint,
  CreateResponse,
  ErasureRequest,
  EventPage,
  Reason,
  Recovery,
  RotatedWebhookEndpoint,
  SandboxTransitionRequest,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookEndpointRegistration,
  WebhookEndpointUpdate,
} from "./contract-types.ts";
import { CandidateServiceError } from "./error.ts";
import { EventFeed, type EventsQuery, eventPageIn, type FollowQuery, type ReadPage } from "./event-feed.ts";
import { assertOptions, type CallOptions, type ClientOptions } from "./options.ts";
import { PagePacer } from "./page-pacer.ts";
import {
  assertQuery,
  DELIVERIES_PAGE_QUERY,
  DELIVERIES_QUERY,
  EVENTS_QUERY,
  encodedQuery,
  type WithoutSignal,
} from "./query.ts";
import type { ReadOnly } from "./read-only.ts";
import { type Reconciliation, reconcile, type SeenEvents } from "./reconcile.ts";
import { recoveryBody, type StartRecoveryRequest } from "./recovery.ts";
import { mayHaveBeenDone } from "./retry.ts";
import { encoded, route } from "./route.ts";
import { bodyOf, type ServiceResponse, unexpected } from "./service-response.ts";
import { type Call, Transport } from "./transport.ts";

/** The response to create, and whether it repeats the response to an earlier create of the same `externalId`. */
export type CreatedCandidate = CreateResponse & {
  /** True if the candidate already existed. It was not changed: amend it to update it. */
  readonly replayed: boolean;
};

/** A candidate's safe projection and its version. */
export type Candidate = CandidateRecord & {
  /** The record's `ETag`. Pass it to an amend as `ifMatch`. */
  readonly etag: string;
};

export interface AmendOptions extends CallOptions {
  /**
   * The `etag` of the record on which the amend is based. If the record has changed since, it stays unchanged and
   * the call throws `precondition_failed`: read it again and repeat the amend. (The change may be your own, if an
   * amend was retried after a lost response.) Omit it to amend any version: `undefined` is refused, because a record
   * that was not read would silently be overwritten.
   */
  readonly ifMatch?: string;
}

/** A transition that the platform makes, and that you can make in the sandbox. */
export type SandboxTransition = "verify" | "promote" | "fail-validation" | "revoke-consent" | "erase";

/** Filters for a list of deliveries. */
export interface DeliveriesQuery extends WithoutSignal {
  /** Only deliveries with this status; all if omitted. */
  readonly status?: WebhookDelivery["status"] | undefined;
  /** The most deliveries on a page, 1 to 100; 20 if omitted. */
  readonly limit?: number | undefined;
}

/**
 * The operations of the Candidate Management Service, one method each, for one organisation in one environment.
 * Failures are thrown as {@link CandidateServiceError}.
 */
export class CandidateServiceClient {
  readonly #transport: Transport;
  readonly #readEvents: ReadPage = async (query, options, { patient }) => {
    const response = await this.#transport.send(
      { ...route("listEvents"), query: encodedQuery(query, EVENTS_QUERY), idempotent: true, patient },
      options,
    );
    return eventPageIn(response);
  };

  /** @throws TypeError if an option is wrong; its message begins with the option's name */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Creates a candidate. A repeated `externalId` returns the original response, with `replayed` true. */
  async createCandidate(
    submission: ReadOnly<CandidateSubmission>,
    options?: CallOptions,
  ): Promise<CreatedCandidate> {
    const response = await this.#transport.send(
      { ...route("createCandidate"), body: submission, idempotent: true },
      options,
    );
    return {
      ...bodyOf<CreateResponse>(response, { stagedId: isText, receivedAt: isText }),
      replayed: response.headers.get("Idempotent-Replayed") === "true",
    };
  }

  /**
   * Creates up to 100 candidates in one call, at most 4 MiB in all, and returns a result for each in the order sent. A
   * candidate that is refused does not throw: its result has `error` and `message` instead of `stagedId`
   * (`"error" in result` narrows the type). Send those of status 500 and 503 again.
   */
  async createCandidateBatch(
    candidates: readonly ReadOnly<CandidateSubmission>[],
    options?: CallOptions,
  ): Promise<CandidateBatchResponse> {
    if (!arrayOf(isObject)(candidates)) throw new TypeError("candidates: a list of candidates is expected");
    const response = await this.#transport.send(
      { ...route("createCandidateBatch"), body: { candidates }, idempotent: true },
      options,
    );
    return bodyOf<CandidateBatchResponse>(response, {
      results: (value) =>
        Array.isArray(value) &&
        value.length === candidates.length &&
        candidates.every((candidate, at) => isResultOf(candidate, value[at])),
    });
  }

  /** The candidate with this `externalId`; throws `not_found` if there is none. */
  async findCandidate(externalId: string, options?: CallOptions): Promise<Candidate> {
    const query = `externalId=${encoded("externalId", externalId)}`;
    return candidateIn(
      await this.#transport.send({ ...route("findCandidate"), query, idempotent: true }, options),
    );
  }

  /**
   * The candidate with this id; throws `not_found` if there is none.
   *
   * @param id the `stagedId` or, after promotion, the canonical id
   */
  async getCandidate(id: string, options?: CallOptions): Promise<Candidate> {
    return candidateIn(
      await this.#transport.send({ ...route("getCandidate", id), idempotent: true }, options),
    );
  }

  /**
   * Amends a candidate. Omitted members are kept; a member that is present is replaced as a whole. An empty list of
   * `documents` also removes the sensitive ones, which no read returns; any other list keeps sensitive documents of
   * types that it does not contain. `consentGiven: false` withdraws consent and freezes access.
   *
   * @param id the `stagedId` or, after promotion, the canonical id
   */
  async amendCandidate(
    id: string,
    amendment: ReadOnly<CandidateAmendment>,
    options: AmendOptions = {},
  ): Promise<Candidate> {
    assertOptions(options);
    const { ifMatch, ...callOptions } = options;
    return candidateIn(
      await this.#transport.send(
        {
          ...route("amendCandidate", id),
          body: amendment,
          ...("ifMatch" in options && { headers: { "If-Match": entityTag(ifMatch) } }),
          idempotent: true,
        },
        callOptions,
      ),
    );
  }

  /**
   * Erases a candidate permanently. Throws `invalid_request` if the record has another `externalId`, and `not_found`
   * if there is no such candidate or it is already erased.
   *
   * @param id the `stagedId` or, after promotion, the canonical id
   */
  async requestErasure(id: string, request: ErasureRequest, options?: CallOptions): Promise<void> {
    await this.#remove({ ...route("requestErasure", id), body: request }, options);
  }

  /**
   * Registers a webhook endpoint. Store its `signingSecret`: it is returned only once. Not retried after a lost
   * response, because the endpoint may exist: list them, and delete the one whose secret you do not have.
   */
  async createWebhookEndpoint(
    registration: ReadOnly<WebhookEndpointRegistration>,
    options?: CallOptions,
  ): Promise<CreatedWebhookEndpoint> {
    const response = await this.#transport.send(
      { ...route("createWebhookEndpoint"), body: registration, idempotent: false },
      options,
    );
    return bodyOf<CreatedWebhookEndpoint>(response, { id: isText, signingSecret: isText });
  }

  /** All webhook endpoints of the organisation, oldest first. */
  async listWebhookEndpoints(options?: CallOptions): Promise<WebhookEndpoint[]> {
    const response = await this.#transport.send(
      { ...route("listWebhookEndpoints"), idempotent: true },
      options,
    );
    return bodyOf<WebhookEndpointList>(response, { data: arrayOf(isObject) }).data;
  }

  /** A webhook endpoint, without its secret. */
  async getWebhookEndpoint(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    const response = await this.#transport.send(
      { ...route("getWebhookEndpoint", id), idempotent: true },
      options,
    );
    return bodyOf<WebhookEndpoint>(response, { id: isText });
  }

  /** Changes a webhook endpoint. Omitted members are kept. `active: true` resumes deliveries. */
  async updateWebhookEndpoint(
    id: string,
    update: ReadOnly<WebhookEndpointUpdate>,
    options?: CallOptions,
  ): Promise<WebhookEndpoint> {
    const response = await this.#transport.send(
      { ...route("updateWebhookEndpoint", id), body: update, idempotent: true },
      options,
    );
    return bodyOf<WebhookEndpoint>(response, { id: isText });
  }

  /** Deletes a webhook endpoint. Its pending attempts are dropped. */
  async deleteWebhookEndpoint(id: string, options?: CallOptions): Promise<void> {
    await this.#remove(route("deleteWebhookEndpoint", id), options);
  }

  /**
   * Replaces the endpoint's `signingSecret`. The new one is returned only once; for 24 hours deliveries are also
   * signed with the previous one. Not retried after a lost response, because a second rotation invalidates the first
   * secret at once. If the call throws, rotate again only if you no longer need the secret that your receiver has.
   */
  async rotateSigningSecret(id: string, options?: CallOptions): Promise<RotatedWebhookEndpoint> {
    const response = await this.#transport.send(
      { ...route("rotateSigningSecret", id), idempotent: false },
      options,
    );
    return bodyOf<RotatedWebhookEndpoint>(response, { signingSecret: isText });
  }

  /**
   * A page of an endpoint's deliveries in the last 30 days, newest event first.
   *
   * @param query pass the `nextCursor` of the previous page as `cursor`; the last page has none
   */
  async listWebhookDeliveries(
    id: string,
    query: DeliveriesQuery & { readonly cursor?: string | undefined } = {},
    options?: CallOptions,
  ): Promise<WebhookDeliveryPage> {
    const response = await this.#transport.send(
      {
        ...route("listWebhookDeliveries", id),
        query: encodedQuery(query, DELIVERIES_PAGE_QUERY),
        idempotent: true,
      },
      options,
    );
    return bodyOf<WebhookDeliveryPage>(response, {
      data: arrayOf(isObject),
      nextCursor: (value) => value === undefined || isText(value),
    });
  }

  /** The same deliveries one by one. Pages are fetched as they are reached. */
  async *eachWebhookDelivery(
    id: string,
    query: DeliveriesQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<WebhookDelivery, void, undefined> {
    assertQuery(query, DELIVERIES_QUERY);
    let cursor: string | undefined;
    const pacer = new PagePacer(query.status !== undefined, options?.signal);
    for (;;) {
      const at = performance.now();
      const page = await this.listWebhookDeliveries(id, { ...query, cursor }, options);
      yield* page.data;
      if (page.nextCursor === undefined) return;
      await pacer.next(page, { cursor, at });
      cursor = page.nextCursor;
    }
  }

  /** Sends an event to the endpoint again, starting from its first attempt, byte for byte the same. */
  async resendWebhookDelivery(id: string, eventId: string, options?: CallOptions): Promise<void> {
    await this.#transport.send(
      { ...route("resendWebhookDelivery", id, eventId), idempotent: false },
      options,
    );
  }

  /**
   * Sends the endpoint every event of a period that it has not acknowledged, including those fired while it was
   * inactive. Not retried after a lost response: a second call is refused while the first recovery is running.
   */
  async startRecovery(id: string, request: StartRecoveryRequest, options?: CallOptions): Promise<Recovery> {
    const response = await this.#transport.send(
      { ...route("startRecovery", id), body: recoveryBody(request), idempotent: false },
      options,
    );
    return bodyOf<Recovery>(response, { id: isText });
  }

  /** The progress of a recovery. */
  async getRecovery(id: string, recoveryId: string, options?: CallOptions): Promise<Recovery> {
    const response = await this.#transport.send(
      { ...route("getRecovery", id, recoveryId), idempotent: true },
      options,
    );
    return bodyOf<Recovery>(response, { id: isText });
  }

  /**
   * Sends a sample event to the endpoint, with sample ids and `sample: true`.
   *
   * @param options `eventType` is the type of the sample; by default the endpoint's first
   */
  async testWebhookEndpoint(
    id: string,
    options: CallOptions & { readonly eventType?: WebhookEndpoint["eventTypes"][number] | undefined } = {},
  ): Promise<void> {
    assertOptions(options);
    const { eventType, ...callOptions } = options;
    await this.#transport.send(
      {
        ...route("testWebhookEndpoint", id),
        ...(eventType !== undefined && { query: `eventType=${encoded("eventType", eventType)}` }),
        idempotent: false,
      },
      callOptions,
    );
  }

  /** A page of the organisation's events, in the order of publication. */
  listEvents(query: EventsQuery = {}, options: CallOptions = {}): Promise<EventPage> {
    return this.#readEvents(query, options, { patient: false });
  }

  /**
   * The organisation's events one by one, or in pages with a checkpoint each: {@link EventFeed.pages}. Pages are
   * fetched as they are reached.
   *
   * @param query with `follow` the events go on until `options.signal` is aborted, which throws its reason
   */
  events(query: FollowQuery = {}, options?: CallOptions): EventFeed {
    return new EventFeed(this.#readEvents, query, options);
  }

  /**
   * Returns the events that a receiver has missed, and the numbers of events that even the feed lacks.
   *
   * @param seen what the receiver has: ids, or numbers by candidate, or a lookup. With numbers, gaps older
   *   than the feed are found too; forget a candidate's numbers when it is erased.
   * @param query what to compare with: by default, every event that is kept
   */
  async reconcile(seen: SeenEvents, query: EventsQuery = {}, options?: CallOptions): Promise<Reconciliation> {
    assertQuery(query, EVENTS_QUERY);
    const feed = new EventFeed(this.#readEvents, query, options);
    return reconcile(feed.pages(), seen, { everyType: query.types === undefined });
  }

  /**
   * Moves a candidate along its lifecycle as the platform does in production, where this throws `not_found`. A
   * transition that is already done changes nothing; one that is not allowed throws `invalid_request`.
   *
   * @param id the `stagedId` or, after promotion, the canonical id
   * @param request the reasons of `fail-validation`; the others have none
   */
  async applySandboxTransition(
    id: string,
    transition: "fail-validation",
    request: { readonly reasons: readonly Reason[] },
    options?: CallOptions,
  ): Promise<void>;
  async applySandboxTransition(
    id: string,
    transition: Exclude<SandboxTransition, "fail-validation">,
    request?: { readonly reasons?: never },
    options?: CallOptions,
  ): Promise<void>;
  async applySandboxTransition(
    id: string,
    transition: SandboxTransition,
    request: ReadOnly<SandboxTransitionRequest> = {},
    options?: CallOptions,
  ): Promise<void> {
    await this.#transport.send(
      {
        ...route("applySandboxTransition", id, transition),
        body: request,
        idempotent: true,
        mayBeMissing: true,
      },
      options,
    );
  }

  /** Sends a call that removes something. A 404 means success if the response of an earlier attempt was lost. */
  async #remove(call: Omit<Call, "idempotent">, options: CallOptions | undefined): Promise<void> {
    let mayBeDone = false;
    const onFailure = (error: CandidateServiceError) => {
      mayBeDone ||= mayHaveBeenDone(error);
    };
    try {
      await this.#transport.send({ ...call, idempotent: true, onFailure }, options);
    } catch (error) {
      if (!(mayBeDone && isNotFound(error))) throw error;
    }
  }
}

/** @throws TypeError if it is no entity tag: one that a header cannot carry would look like a lost connection */
function entityTag(ifMatch: unknown): string {
  if (isText(ifMatch) && /^[\x20-\x7e]+$/.test(ifMatch)) return ifMatch;
  throw new TypeError("ifMatch: the etag of a record is expected; omit it to amend any version");
}

/** Whether a result acknowledges this candidate, or refuses it, and not both. */
function isResultOf({ externalId }: ReadOnly<CandidateSubmission>, result: unknown): boolean {
  if (!isObject(result)) return false;
  const { status, stagedId, receivedAt, replayed, error, message } = result;
  const isOwn = result["externalId"] === externalId;
  if (status === 201) {
    return (
      isOwn && isText(stagedId) && isText(receivedAt) && typeof replayed === "boolean" && !("error" in result)
    );
  }
  const isRefusal = Number.isInteger(status) && Number(status) >= 400 && !("stagedId" in result);
  return (
    (isOwn || result["externalId"] === null) && isRefusal && isText(error) && typeof message === "string"
  );
}

function candidateIn(response: ServiceResponse): Candidate {
  const etag = response.headers.get("ETag");
  if (etag === null) throw unexpected(response, "has no ETag");
  return { ...bodyOf<CandidateRecord>(response), etag };
}

function isNotFound(error: unknown): boolean {
  return error instanceof CandidateServiceError && error.code === "not_found";
}
