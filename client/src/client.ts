import type {
  CandidateAmendment,
  CandidateRecord,
  CandidateSubmission,
  CreatedWebhookEndpoint,
  CreateResponse,
  ErasureRequest,
  RotatedWebhookEndpoint,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookEndpointRegistration,
  WebhookEndpointUpdate,
} from "./contract-types.ts";
import { CandidateServiceError } from "./error.ts";
import { operations } from "./operations.ts";
import { type Answer, type Call, type CallOptions, type ClientOptions, Transport } from "./transport.ts";

/** The answer to create, and whether it is the one that an earlier create of the same `externalId` got. */
export type CreatedCandidate = CreateResponse & {
  /** True when the candidate was there already: nothing was changed, amend it to bring it up to date. */
  readonly replayed: boolean;
};

/** A candidate's safe projection, and the version that it is of. */
export type Candidate = CandidateRecord & {
  /** The record's `ETag`: give it to an amend as `ifMatch`. */
  readonly etag: string;
};

export interface AmendOptions extends CallOptions {
  /**
   * The `etag` of the record that the amend is based on: one that has changed since is left as it is, and
   * `precondition_failed` is thrown. Read it again and repeat the amend. (The change may be your own: an
   * amend whose answer was lost is tried again.)
   */
  readonly ifMatch?: string | undefined;
}

/** Which deliveries are listed. */
export interface DeliveriesQuery {
  /** Only those that stand so; all of them when left out. */
  readonly status?: WebhookDelivery["status"] | undefined;
  /** How many a page holds at the most, 1 to 100; 20 when left out. */
  readonly limit?: number | undefined;
}

/**
 * The operations of the Candidate Management Service, one method each, for one organisation in one
 * environment. What fails is thrown as {@link CandidateServiceError}.
 */
export class CandidateServiceClient {
  readonly #transport: Transport;

  /** @throws TypeError when `baseUrl` is no URL or `apiKey` cannot be sent as a header */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** Creates a candidate in intake. A repeated `externalId` gets the original answer again, `replayed`. */
  async createCandidate(submission: CandidateSubmission, options?: CallOptions): Promise<CreatedCandidate> {
    const { body, headers } = await this.#transport.send({
      ...route("createCandidate"),
      body: submission,
      idempotent: true,
      ...options,
    });
    return {
      ...(body as CreateResponse),
      replayed: headers.get("Idempotent-Replayed") === "true",
    };
  }

  /** The candidate that was created with this `externalId`; `not_found` when there is none. */
  async findCandidate(externalId: string, options?: CallOptions): Promise<Candidate> {
    const query = `externalId=${encodeURIComponent(externalId)}`;
    return candidate(
      await this.#transport.send({ ...route("findCandidate"), query, idempotent: true, ...options }),
    );
  }

  /** @param id the `stagedId` or, once promoted, the canonical id */
  async getCandidate(id: string, options?: CallOptions): Promise<Candidate> {
    return candidate(
      await this.#transport.send({ ...route("getCandidate", id), idempotent: true, ...options }),
    );
  }

  /**
   * Amends a candidate: what is left out is kept, what is there replaces the whole member. An empty list of
   * `documents` removes the sensitive ones too, which no read shows; another list keeps those of types that it
   * does not name. `consentGiven: false` withdraws consent and freezes access.
   *
   * @param id the `stagedId` or, once promoted, the canonical id
   */
  async amendCandidate(
    id: string,
    amendment: CandidateAmendment,
    { ifMatch, ...options }: AmendOptions = {},
  ): Promise<Candidate> {
    return candidate(
      await this.#transport.send({
        ...route("amendCandidate", id),
        body: amendment,
        ...(ifMatch !== undefined && { headers: { "If-Match": ifMatch } }),
        idempotent: true,
        ...options,
      }),
    );
  }

  /**
   * Erases a candidate, for good. Thrown are `invalid_request` when the record has another `externalId`, and
   * `not_found` when there is no such candidate, or it is erased already.
   *
   * @param id the `stagedId` or, once promoted, the canonical id
   */
  async requestErasure(id: string, request: ErasureRequest, options?: CallOptions): Promise<void> {
    try {
      await this.#transport.send({
        ...route("requestErasure", id),
        body: request,
        idempotent: true,
        ...options,
      });
    } catch (error) {
      // An earlier attempt did it, and its response was lost.
      if (isNotFound(error) && error.attempts > 1) return;
      throw error;
    }
  }

  /**
   * Registers a webhook endpoint. Keep its `signingSecret`: it is told this once. Not tried again after a
   * lost answer, since the endpoint may be there: list them, and delete the one whose secret you lack.
   */
  async createWebhookEndpoint(
    registration: WebhookEndpointRegistration,
    options?: CallOptions,
  ): Promise<CreatedWebhookEndpoint> {
    const { body } = await this.#transport.send({
      ...route("createWebhookEndpoint"),
      body: registration,
      idempotent: false,
      ...options,
    });
    return body as CreatedWebhookEndpoint;
  }

  /** All webhook endpoints of the organisation, oldest first. */
  async listWebhookEndpoints(options?: CallOptions): Promise<WebhookEndpoint[]> {
    const { body } = await this.#transport.send({
      ...route("listWebhookEndpoints"),
      idempotent: true,
      ...options,
    });
    return (body as WebhookEndpointList).data;
  }

  async getWebhookEndpoint(id: string, options?: CallOptions): Promise<WebhookEndpoint> {
    const { body } = await this.#transport.send({
      ...route("getWebhookEndpoint", id),
      idempotent: true,
      ...options,
    });
    return body as WebhookEndpoint;
  }

  /** Changes a webhook endpoint: what is left out is kept. `active: true` resumes deliveries. */
  async updateWebhookEndpoint(
    id: string,
    update: WebhookEndpointUpdate,
    options?: CallOptions,
  ): Promise<WebhookEndpoint> {
    const { body } = await this.#transport.send({
      ...route("updateWebhookEndpoint", id),
      body: update,
      idempotent: true,
      ...options,
    });
    return body as WebhookEndpoint;
  }

  /** Deletes a webhook endpoint; its pending attempts are dropped. */
  async deleteWebhookEndpoint(id: string, options?: CallOptions): Promise<void> {
    try {
      await this.#transport.send({ ...route("deleteWebhookEndpoint", id), idempotent: true, ...options });
    } catch (error) {
      // An earlier attempt did it, and its response was lost.
      if (isNotFound(error) && error.attempts > 1) return;
      throw error;
    }
  }

  /**
   * Gives the endpoint a new `signingSecret`, shown this once; for 24 hours the one before signs beside it.
   * Not repeated after a lost response: a second rotation ends the first secret at once. If it is
   * thrown, rotate again only when you can do without the secret that your receiver holds.
   */
  async rotateSigningSecret(id: string, options?: CallOptions): Promise<RotatedWebhookEndpoint> {
    const { body } = await this.#transport.send({
      ...route("rotateSigningSecret", id),
      idempotent: false,
      ...options,
    });
    return body as RotatedWebhookEndpoint;
  }

  /**
   * A page of what became of an endpoint's deliveries in the last 30 days, newest event first.
   *
   * @param query with the `nextCursor` of the page before as `cursor`; there is none on the last page
   */
  async listWebhookDeliveries(
    id: string,
    query: DeliveriesQuery & { readonly cursor?: string | undefined } = {},
    options?: CallOptions,
  ): Promise<WebhookDeliveryPage> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    const { body } = await this.#transport.send({
      ...route("listWebhookDeliveries", id),
      query: String(parameters),
      idempotent: true,
      ...options,
    });
    return body as WebhookDeliveryPage;
  }

  /** The same deliveries one by one; each page is fetched when it is reached. */
  async *eachWebhookDelivery(
    id: string,
    query: DeliveriesQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<WebhookDelivery, void, undefined> {
    let cursor: string | undefined;
    do {
      const { data, nextCursor } = await this.listWebhookDeliveries(id, { ...query, cursor }, options);
      yield* data;
      cursor = nextCursor;
    } while (cursor !== undefined);
  }

  /** Sends an event to the endpoint once more, from its first attempt, byte for byte the same. */
  async resendWebhookDelivery(id: string, eventId: string, options?: CallOptions): Promise<void> {
    await this.#transport.send({
      ...route("resendWebhookDelivery", id, eventId),
      idempotent: false,
      ...options,
    });
  }

  /** Sends a sample event to the endpoint: its first event type, invented ids and `sample: true`. */
  async testWebhookEndpoint(id: string, options?: CallOptions): Promise<void> {
    await this.#transport.send({
      ...route("testWebhookEndpoint", id),
      idempotent: false,
      ...options,
    });
  }
}

/** A value for each parameter of a path. */
type Values<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
  ? [string, ...Values<Rest>]
  : [];

type Operations = typeof operations;

/** The method of an operation, and its path with these values. */
function route<Id extends keyof Operations>(
  operationId: Id,
  ...values: Values<Operations[Id]["path"]>
): Pick<Call, "method" | "path"> {
  const { method, path } = operations[operationId];
  const given: string[] = [...values];
  return { method, path: path.replace(/{\w+}/g, () => encodeURIComponent(given.shift() ?? "")) };
}

function candidate({ headers, body }: Answer): Candidate {
  const etag = headers.get("ETag");
  if (etag === null) {
    throw new CandidateServiceError("unexpected_answer", "The response lacks the record's ETag.", {
      requestId: headers.get("X-Request-Id") ?? undefined,
    });
  }
  return { ...(body as CandidateRecord), etag };
}

function isNotFound(error: unknown): error is CandidateServiceError {
  return error instanceof CandidateServiceError && error.code === "not_found";
}
