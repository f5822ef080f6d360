import type * as z from "zod/mini";
import type {
  oas31,
  ZodOpenApiExamplesObject,
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
} from "zod-openapi";
import { EVENT_TYPES } from "#contract/events";
import type { OperationDefinition } from "#contract/operation-definition";
import { type OperationId, operations } from "#contract/operations";
import { PLATFORM_TRANSITIONS } from "#contract/platform-transition";
import { ENDPOINTS_PER_ORGANISATION } from "#contract/webhook-endpoint";
import { codeSamples } from "./code-samples.ts";
import { type QueryText, type QueryTexts, queryParameters } from "./described.ts";
import * as examples from "./examples.ts";
import { extension, sandboxOnly } from "./extension.ts";
import {
  entityTag,
  errorResponses,
  json,
  type NotFoundName,
  replayed,
  type SuccessWords,
  success,
} from "./responses.ts";

type Row = (typeof operations)[number];

/** Parameters that more than one operation takes. */
export const parameters = {
  candidateId: {
    name: "id",
    in: "path",
    required: true,
    description: "The candidate's `stagedId`, or its canonical id after promotion.",
    schema: { type: "string", examples: ["staged_4g9v8z0d3m6n1p5q7r2s4t6w8x"] },
  },
  endpointId: {
    name: "id",
    in: "path",
    required: true,
    description: "The endpoint's id.",
    schema: { type: "string", examples: ["whe_06dcb7s2m0yr4gv0w3q8n5tk00"] },
  },
  eventId: {
    name: "eventId",
    in: "path",
    required: true,
    description: "The event's id.",
    schema: { type: "string", examples: ["evt_06dcb7s2m0yr4gv0w3q8n5tk00"] },
  },
  transition: {
    name: "transition",
    in: "path",
    required: true,
    description: "The transition.",
    schema: { type: "string", enum: [...PLATFORM_TRANSITIONS] },
  },
  recoveryId: {
    name: "recoveryId",
    in: "path",
    required: true,
    description: "The recovery's id.",
    schema: { type: "string", examples: ["rec_06dcb7s2m0yr4gv0w3q8n5tk00"] },
  },
} as const satisfies Readonly<Record<string, oas31.ParameterObject>>;

/** Each prefix of a path that ends in a parameter: `/v1/candidates/{id}` of `/v1/candidates/{id}/erasure`. */
type ParameterEnd<
  Path extends string,
  Before extends string = "",
> = Path extends `${infer Head}{${infer Name}}${infer Rest}`
  ? `${Before}${Head}{${Name}}` | ParameterEnd<Rest, `${Before}${Head}{${Name}}`>
  : never;

/** The parameter at the end of each path prefix. */
const pathParameters: Readonly<Record<ParameterEnd<Row["path"]>, keyof typeof parameters>> = {
  "/v1/candidates/{id}": "candidateId",
  "/v1/webhook-endpoints/{id}": "endpointId",
  "/v1/webhook-endpoints/{id}/deliveries/{eventId}": "eventId",
  "/v1/sandbox/candidates/{id}": "candidateId",
  "/v1/sandbox/candidates/{id}/{transition}": "transition",
  "/v1/webhook-endpoints/{id}/recoveries/{recoveryId}": "recoveryId",
};

const ifMatch: oas31.ParameterObject = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    'The `ETag` of the record when you read it, such as `"2026-11-21T09:04:00.000Z"`. If it has changed since, the response is 412 and nothing is written. ' +
    "A weak tag matches like the strong one, and up to 100 tags may be listed. Without the header, the last write of a member wins, and concurrent " +
    "writes of different members all take effect.",
  // Without an example: the reference's request form would send it, and the response would be a 412.
  schema: { type: "string" },
  "x-extension": true,
};

/** The operations that accept a receipt's `stagedId`. */
const withTheHandle = {
  getCandidate: {
    operationId: "getCandidate",
    parameters: { id: "$response.body#/stagedId" },
    description: "The candidate's record. `stagedId` is the `{id}`.",
  },
  amendCandidate: {
    operationId: "amendCandidate",
    parameters: { id: "$response.body#/stagedId" },
    description: "Amends the candidate. `stagedId` is the `{id}`.",
  },
  requestErasure: {
    operationId: "requestErasure",
    parameters: { id: "$response.body#/stagedId" },
    description: "Erases the candidate. `stagedId` is the `{id}`.",
  },
} as const satisfies Partial<Record<OperationId, oas31.LinkObject>>;

interface BodyWords {
  readonly description: string;
  readonly examples: ZodOpenApiExamplesObject;
}

/** The description of an operation, apart from its definition. */
interface OperationWords {
  readonly tag: "Candidates" | "Webhook endpoints" | "Events" | "Sandbox";
  readonly description: string;
  readonly headers?: readonly oas31.ParameterObject[];
  readonly query?: Readonly<Record<string, QueryText>>;
  readonly body?: BodyWords;
  readonly success: SuccessWords;
  readonly notFound?: NotFoundName;
}

/** The description that a definition requires. One that is missing or not needed does not compile. */
type WordsOf<Of extends Row> = Pick<OperationWords, "tag" | "description" | "headers"> &
  (Of extends { readonly query: infer Query extends z.ZodMiniObject }
    ? { readonly query: QueryTexts<Query> }
    : unknown) &
  (Of extends { readonly body: unknown } ? { readonly body: BodyWords } : unknown) & {
    readonly success: Of extends { readonly response: unknown }
      ? SuccessWords & Required<Pick<SuccessWords, "examples">>
      : Omit<SuccessWords, "examples">;
  } & ("not_found" extends Of["errors"][number] ? { readonly notFound: NotFoundName } : unknown);

/** The description of each operation, in the order in which it appears. */
const words: { readonly [Each in Row as Each["operationId"]]: WordsOf<Each> } = {
  createCandidate: {
    tag: "Candidates",
    description:
      "Creates a candidate in intake. Idempotent on `externalId` within your organisation: a retry returns the " +
      "original response, creates no duplicate and fires no second event, even if its body differs. " +
      "To update data, amend the candidate.",
    body: {
      description: "The candidate. At most 4 MiB.",
      examples: {
        smallest: { summary: "The smallest accepted candidate", value: examples.smallestSubmission },
        full: { summary: "A more complete candidate", value: examples.submission },
      },
    },
    success: {
      description:
        "Received. A retry with the same `externalId` returns the original response, with `Idempotent-Replayed: true`.",
      headers: replayed,
      examples: { receipt: { value: examples.receipt } },
      links: withTheHandle,
    },
  },
  createCandidateBatch: {
    tag: "Candidates",
    description:
      "Creates up to 100 candidates, each with the rules and the event of a single create. The results are in the " +
      "order sent: match them by position. A refused candidate does not affect the others, and the response is still " +
      "200; it is an error only if the batch as a whole cannot be read. If several candidates in a batch have the same " +
      "`externalId`, the first valid one is created and the later valid ones are replays. Repeating a batch is safe: candidates that " +
      "already exist are replayed. At most 20 batches a second in production, and one in development, from all callers " +
      "together.",
    body: {
      description: "The candidates. At most 4 MiB in all.",
      examples: { batch: { value: examples.batch } },
    },
    success: {
      description: "A result for each candidate.",
      examples: { results: { summary: "One is received, one refused", value: examples.batchResponse } },
    },
  },
  findCandidate: {
    tag: "Candidates",
    description:
      "The record of the candidate that your organisation created with this `externalId`. Other query parameters are ignored.",
    query: {
      externalId: {
        description: "The `externalId` given at create, percent-encoded. Exactly one, not empty.",
        example: examples.submission.externalId,
      },
    },
    success: {
      description: "The candidate's record.",
      headers: entityTag,
      examples: { record: { value: examples.record } },
    },
    notFound: "CandidateNotFound",
  },
  getCandidate: {
    tag: "Candidates",
    description:
      "The candidate's record in the safe projection. Reads are consistent: a write is visible at once.",
    success: {
      description: "The candidate's record.",
      headers: entityTag,
      examples: { record: { value: examples.record } },
    },
    notFound: "CandidateNotFound",
  },
  amendCandidate: {
    tag: "Candidates",
    description:
      "Changes the members in the body and keeps all others. Neither `{}` nor an invalid body changes anything. " +
      "`documents` and `assessments` replace only part of the stored entries: see their descriptions. " +
      "**An empty list of `documents` also removes the sensitive ones, which no read returns.** A repeated " +
      "`consentGiven: false` returns 404 `consent_revoked`, which then means success.",
    headers: [ifMatch],
    body: { description: "The changes. At most 4 MiB.", examples: examples.amendments },
    success: {
      description: "The record after the amend.",
      headers: entityTag,
      examples: { record: { value: examples.record } },
    },
    notFound: "CandidateNotFound",
  },
  requestErasure: {
    tag: "Candidates",
    description:
      "Erases the candidate permanently: its handles return 404 from then on, and `candidate.erased` fires. This also " +
      "works for a candidate that has withdrawn consent. If the `externalId` is not the record's, the request is refused " +
      "with 400 and nothing changes. A repeated request returns 404, which then means success. An environment may " +
      "refuse every erasure request with 400: contact the platform team in that case.",
    body: {
      description: "The candidate's `externalId`, so that a wrong id erases no candidate.",
      examples: { erasure: { value: { externalId: examples.submission.externalId } } },
    },
    success: { description: "Erased. Subscribers are notified later, and backups expire later." },
    notFound: "NoCandidateToErase",
  },
  createWebhookEndpoint: {
    tag: "Webhook endpoints",
    description:
      "Registers an endpoint for events. Only this response contains the `signingSecret`: **store it, because it cannot " +
      `be read again.** An organisation may have up to ${ENDPOINTS_PER_ORGANISATION} endpoints; more are refused with 400.`,
    body: { description: "The endpoint.", examples: { endpoint: { value: examples.registration } } },
    success: {
      description: "Registered. Store the `signingSecret`.",
      examples: {
        endpoint: { value: examples.createdWebhookEndpoint },
      },
    },
  },
  listWebhookEndpoints: {
    tag: "Webhook endpoints",
    description: "All of your organisation's endpoints, oldest first, without their secrets.",
    success: {
      description: "The endpoints.",
      examples: {
        endpoints: { value: { data: [examples.webhookEndpoint] } },
      },
    },
  },
  getWebhookEndpoint: {
    tag: "Webhook endpoints",
    description: "One endpoint, without its secret.",
    success: { description: "The endpoint.", examples: { endpoint: { value: examples.webhookEndpoint } } },
    notFound: "WebhookEndpointNotFound",
  },
  updateWebhookEndpoint: {
    tag: "Webhook endpoints",
    description:
      "Changes the members in the body and keeps all others. A new `url` applies from the next attempt on, including " +
      "pending deliveries; new `eventTypes` apply to events that fire from then on. `active: false` stops " +
      "deliveries; events that fire while it is false are sent later only by a recovery. `active: true` resumes them, even if the " +
      "service itself set the endpoint inactive.",
    body: {
      description: "The changes.",
      examples: {
        resume: { summary: "Resume deliveries", value: { active: true } },
        move: { summary: "Send to another address", value: { url: "https://hooks.example.com/v2" } },
      },
    },
    success: {
      description: "The endpoint after the change.",
      examples: {
        endpoint: { value: examples.webhookEndpoint },
      },
    },
    notFound: "WebhookEndpointNotFound",
  },
  deleteWebhookEndpoint: {
    tag: "Webhook endpoints",
    description: "Deletes the endpoint. Its pending attempts are dropped.",
    success: { description: "Deleted." },
    notFound: "WebhookEndpointNotFound",
  },
  listWebhookDeliveries: {
    tag: "Webhook endpoints",
    description:
      "The endpoint's deliveries of the last 30 days, newest event first, in pages. They contain ids, times " +
      "and outcomes, but no candidate data. A page with a `nextCursor` is not the last. If a status is very rare, a " +
      "page may contain fewer deliveries than `limit`, or none, and still have a `nextCursor`.",
    query: {
      cursor: "The `nextCursor` of the previous page. Keep the other parameters the same.",
      limit: {
        description: "The maximum number of deliveries on a page.",
        schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
      },
      status: "Only deliveries with this status.",
    },
    success: {
      description: "A page of deliveries.",
      examples: {
        page: { value: examples.webhookDeliveryPage },
      },
    },
    notFound: "WebhookEndpointNotFound",
  },
  resendWebhookDelivery: {
    tag: "Webhook endpoints",
    description:
      "Sends the event again, starting from its first attempt, with the same event id and byte for byte the same body, " +
      "to the endpoint's current `url` and signed with its current secret. Refused with 400 if the endpoint is inactive, " +
      "the event is a sample, the delivery has 100 attempts, or the candidate has been erased since, even if it was " +
      "created again. `candidate.erased` itself can be sent again until the candidate is created again.",
    success: { description: "The event is queued for delivery." },
    notFound: "WebhookDeliveryNotFound",
  },
  startRecovery: {
    tag: "Webhook endpoints",
    description:
      "Sends the endpoint every event of a period that it has not acknowledged, including events that fired while it " +
      "was inactive or before it existed. The events are those of the given types in the event feed (`GET " +
      "/v1/events`), except events about the endpoint itself. Each is sent starting from its first attempt, with the " +
      "same event id and byte for byte the same body, at most fifty a second, and does not delay live deliveries. " +
      "Events whose next attempt is less than 15 minutes away are not sent by the recovery. If a candidate has been " +
      "erased, only `candidate.erased` is sent. An event that is being delivered at that moment may arrive twice. A " +
      "second recovery of the same period sends the events that are still not acknowledged. Refused with 400 if the " +
      "endpoint is inactive, if another recovery of it is running, or if `since` is older than the feed " +
      "(`events_expired`).",
    body: {
      description:
        "The period and the types of the events. In the samples, replace `since` by the start of your outage: events " +
        "from before the last 30 days may no longer be kept.",
      examples: {
        outage: {
          summary: "Everything since an outage began",
          value: { since: examples.recovery.since },
        },
        types: {
          summary: "Two types, in a given period",
          value: {
            since: examples.recovery.since,
            until: examples.recovery.until,
            eventTypes: ["candidate.promoted", "candidate.erased"],
          },
        },
      },
    },
    success: {
      description: "Started. Follow it at `GET …/recoveries/{recoveryId}`.",
      examples: { recovery: { value: examples.recovery } },
    },
    notFound: "WebhookEndpointNotFound",
  },
  getRecovery: {
    tag: "Webhook endpoints",
    description:
      "The progress of a recovery of the last 30 days. It is `completed` when every event is queued: the last are sent " +
      "up to seven minutes later. It is `failed` if the endpoint became inactive or was deleted, or if the service " +
      "failed repeatedly: `reason` says which. Another recovery then sends the remaining events.",
    success: {
      description: "The recovery.",
      examples: { recovery: { value: examples.completedRecovery } },
    },
    notFound: "RecoveryNotFound",
  },
  rotateSigningSecret: {
    tag: "Webhook endpoints",
    description:
      "Replaces the endpoint's secret. The new one is returned **only once**. `X-RR-Signature` is keyed with it from the " +
      "next attempt on; for 24 hours each delivery also has `X-RR-Signature-Previous`, keyed with the previous secret. " +
      "If a secret has leaked, rotate twice to invalidate it at once.",
    success: {
      description: "Rotated. Store the new `signingSecret`.",
      examples: {
        endpoint: { value: examples.rotatedWebhookEndpoint },
      },
    },
    notFound: "WebhookEndpointNotFound",
  },
  testWebhookEndpoint: {
    tag: "Webhook endpoints",
    description:
      "Sends the endpoint a sample of its first event type: a complete event with sample ids and " +
      '`"sample": true`, signed like any other, and attempted once, even if the endpoint is inactive. A request ' +
      "without a response after 2 seconds may be sent once more, and then has 10 seconds.",
    query: {
      eventType:
        "Another type for the sample, even if the endpoint is not subscribed to it. An extension of the contract; other query parameters are ignored.",
    },
    success: { description: "A sample is queued for delivery." },
    notFound: "WebhookEndpointNotFound",
  },
  listEvents: {
    tag: "Events",
    description:
      "Your organisation's events in the order of their publication, whether or not an endpoint was subscribed to " +
      "them: the events that webhooks deliver, kept for 30 days. Read with `nextCursor` until `hasMore` is false, then poll with " +
      "it: you receive every event at least once, usually within 2 s after it fired. Deduplicate by `id`. " +
      "Once a candidate is erased, `externalId` and `reasons` of its earlier events are null.",
    query: {
      cursor:
        "The `nextCursor` of the previous page. If events after it are no longer kept, the response is 400 " +
        "`events_expired`, whose message contains the time of the oldest events that are kept.",
      since:
        "Start with the events since this time (RFC 3339; encode the + of an offset as %2B). It cannot be combined with `cursor`. If events since then are " +
        "no longer kept, the response is 400 `events_expired`. By default, the feed starts with the oldest events that " +
        "are kept.",
      limit: {
        description:
          "The maximum number of events on a page. A page may have fewer, even if `hasMore` is true.",
        schema: { type: "integer", minimum: 1, maximum: 100, default: 100 },
      },
      types: {
        description:
          "Only events of these types, separated by commas, such as `candidate.received,candidate.erased`. Keep it the same while you follow a cursor.",
        schema: { type: "string", pattern: typesPattern() },
      },
    },
    success: {
      description: "A page of events.",
      examples: { page: { value: examples.eventPage } },
    },
  },
  applySandboxTransition: {
    tag: "Sandbox",
    description:
      "Does what the platform does in production: verifies, promotes or rejects the candidate, revokes its consent, or " +
      "erases it, by the same rules and with the same event. A transition that the candidate's status does not allow " +
      "is refused with 400; one that is already done changes nothing and is a success. **Production has no " +
      "sandbox: the path returns 404 there.**",
    body: {
      description: "The reasons of `fail-validation`. The other transitions have no body.",
      examples: {
        // The first one is filled into the request form, for the first transition.
        others: {
          summary: "No reasons: any other transition, also without a body",
          value: {},
        },
        failValidation: { summary: "The reasons of fail-validation", value: { reasons: [examples.reason] } },
      },
    },
    success: { description: "Done: read the candidate to see its statuses." },
    notFound: "NoCandidateToAdvance",
  },
};

/** One event type or more, separated by commas. */
function typesPattern(): string {
  const type = `(?:${EVENT_TYPES.map((name) => name.replace(".", "\\.")).join("|")})`;
  return `^${type}(?:,${type})*$`;
}

const shown = Object.keys(words);

const inOrder = operations.toSorted(
  (left, right) => shown.indexOf(left.operationId) - shown.indexOf(right.operationId),
);

/** Every operation of the API, by path. */
export const paths: ZodOpenApiPathsObject = Object.fromEntries(
  [...Map.groupBy(inOrder, ({ path }) => path)].map(([path, rows]) => [
    path,
    {
      ...parametersOf(path),
      ...Object.fromEntries(rows.map((row) => [row.method.toLowerCase(), operationObject(row)])),
    },
  ]),
);

function parametersOf(path: string) {
  const names = Object.entries(pathParameters).filter(([end]) => path.startsWith(end));
  const references = names.map(([, name]) => ({ $ref: `#/components/parameters/${name}` as const }));
  return references.length > 0 && { parameters: references };
}

function operationObject(row: Row): ZodOpenApiOperationObject {
  const { operationId, summary, body, optionalBody, query, status }: OperationDefinition = row;
  const its: OperationWords = words[row.operationId];
  const parameters = [
    ...(its.headers ?? []),
    ...(query && its.query ? queryParameters(query, its.query) : []),
  ];
  return {
    operationId,
    tags: [its.tag],
    summary,
    description: its.description,
    ...(parameters.length > 0 && { parameters }),
    ...(body &&
      its.body && {
        requestBody: {
          required: !optionalBody,
          description: its.body.description,
          content: json(body, its.body.examples),
        },
      }),
    responses: { [status]: success(row, its.success), ...errorResponses(row, its.notFound) },
    "x-codeSamples": codeSamples(row, firstOf(its.body)),
    ...marksOf(row),
  };
}

/** The first example of a body. */
function firstOf(body: BodyWords | undefined): unknown {
  const [example] = Object.values(body?.examples ?? {});
  return example && "value" in example ? example.value : undefined;
}

function marksOf({ extension: isExtension, sandbox }: OperationDefinition) {
  return { ...(isExtension && extension), ...(sandbox && sandboxOnly) };
}
