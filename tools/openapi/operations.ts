import type * as z from "zod/mini";
import type {
  oas31,
  ZodOpenApiExamplesObject,
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
} from "zod-openapi";
import { type OperationDefinition, type OperationId, operations } from "#contract/operations";
import { ENDPOINTS_PER_ORGANISATION } from "#contract/webhook-endpoint";
import {
  entityTag,
  errorAnswers,
  json,
  type NotFoundName,
  replayed,
  type SuccessWords,
  success,
} from "./answers.ts";
import { type QueryText, type QueryTexts, queryParameters } from "./described.ts";
import * as examples from "./examples.ts";
import { extension } from "./extension.ts";

type Row = (typeof operations)[number];

/** Parameters that more than one operation takes. */
export const parameters = {
  candidateId: {
    name: "id",
    in: "path",
    required: true,
    description: "The candidate's `stagedId`, or its canonical id once it is promoted.",
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
} as const satisfies Readonly<Record<string, oas31.ParameterObject>>;

/** Each beginning of a path that ends in a parameter: `/v1/candidates/{id}` of `/v1/candidates/{id}/erasure`. */
type ParameterEnd<
  Path extends string,
  Before extends string = "",
> = Path extends `${infer Head}{${infer Name}}${infer Rest}`
  ? `${Before}${Head}{${Name}}` | ParameterEnd<Rest, `${Before}${Head}{${Name}}`>
  : never;

/** The parameter that a path's beginning ends in. */
const pathParameters: Readonly<Record<ParameterEnd<Row["path"]>, keyof typeof parameters>> = {
  "/v1/candidates/{id}": "candidateId",
  "/v1/webhook-endpoints/{id}": "endpointId",
  "/v1/webhook-endpoints/{id}/deliveries/{eventId}": "eventId",
};

const ifMatch: oas31.ParameterObject = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of the record as you read it: if it has changed since, the response is 412 and nothing is written. " +
    "A weak tag counts as the strong one. Without the header the last write of a member wins, and writes of " +
    "different members all hold.",
  schema: { type: "string", examples: ['"2026-11-21T09:04:00.000Z"'] },
  "x-extension": true,
};

/** What a receipt's `stagedId` is good for. */
const withTheHandle = {
  getCandidate: {
    operationId: "getCandidate",
    parameters: { id: "$response.body#/stagedId" },
    description: "The candidate's record: `stagedId` is the `{id}`.",
  },
  amendCandidate: {
    operationId: "amendCandidate",
    parameters: { id: "$response.body#/stagedId" },
    description: "Amends the candidate: `stagedId` is the `{id}`.",
  },
  requestErasure: {
    operationId: "requestErasure",
    parameters: { id: "$response.body#/stagedId" },
    description: "Erases the candidate: `stagedId` is the `{id}`.",
  },
} as const satisfies Partial<Record<OperationId, oas31.LinkObject>>;

interface BodyWords {
  readonly description: string;
  readonly examples: ZodOpenApiExamplesObject;
}

/** What the description says of an operation beside its row. */
interface OperationWords {
  readonly tag: "Candidates" | "Webhook endpoints";
  readonly description: string;
  readonly headers?: readonly oas31.ParameterObject[];
  readonly query?: Readonly<Record<string, QueryText>>;
  readonly body?: BodyWords;
  readonly success: SuccessWords;
  readonly notFound?: NotFoundName;
}

/** The words that a row asks for: one that is missing or too many does not compile. */
type WordsOf<Of extends Row> = Pick<OperationWords, "tag" | "description" | "headers"> &
  (Of extends { readonly query: infer Query extends z.ZodMiniObject }
    ? { readonly query: QueryTexts<Query> }
    : unknown) &
  (Of extends { readonly body: unknown } ? { readonly body: BodyWords } : unknown) & {
    readonly success: Of extends { readonly response: unknown }
      ? SuccessWords & Required<Pick<SuccessWords, "examples">>
      : Omit<SuccessWords, "examples">;
  } & ("not_found" extends Of["errors"][number] ? { readonly notFound: NotFoundName } : unknown);

/** The words of each operation, in the order in which the description shows them. */
const words: { readonly [Each in Row as Each["operationId"]]: WordsOf<Each> } = {
  createCandidate: {
    tag: "Candidates",
    description:
      "Takes a candidate into intake. Idempotent on `externalId` within your organisation: a retry gets the " +
      "original response, makes no duplicate and fires no second event, whatever else its body holds. " +
      "To bring data up to date, amend the candidate.",
    body: {
      description: "The candidate. A body may be 4 MiB.",
      examples: {
        smallest: { summary: "The least that is accepted", value: examples.smallestSubmission },
        full: { summary: "A fuller candidate", value: examples.submission },
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
  findCandidate: {
    tag: "Candidates",
    description:
      "The record of the candidate that your organisation created with this `externalId`. Other query parameters are ignored.",
    query: {
      externalId: "The `externalId` that was given at create, percent-encoded. Once, and not empty.",
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
      "The candidate's record in the safe projection. What was just written is read: there is no delay.",
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
      "Changes the members that the body names and keeps the others. `{}` changes nothing. An invalid body changes " +
      "nothing either. `documents` and `assessments` replace what is yours to replace: see the members of the body. " +
      "**An empty list of `documents` removes the sensitive ones too, which no read shows.** A repeated " +
      "`consentGiven: false` is 404 `consent_revoked`, which then means done.",
    headers: [ifMatch],
    body: { description: "What is to change. A body may be 4 MiB.", examples: examples.amendments },
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
      "Erases the candidate, for good: its handles return 404 from then on, and `candidate.erased` fires. It works " +
      "for a candidate that has withdrawn consent too. With another `externalId` than the record's it is refused " +
      "with 400 and nothing changes. A repeated request gets 404, which then means done. An environment may refuse " +
      "every erasure request with 400: ask the platform team there.",
    body: {
      description: "The candidate's `externalId`, so that a mistaken id erases nobody.",
      examples: { erasure: { value: { externalId: examples.submission.externalId } } },
    },
    success: { description: "Erased. Subscribers are notified, and backups expire, later." },
    notFound: "NoCandidateToErase",
  },
  createWebhookEndpoint: {
    tag: "Webhook endpoints",
    description:
      "Registers where events are sent to. The response contains the `signingSecret`, **once**: keep it, it cannot be " +
      `read again. An organisation may have ${ENDPOINTS_PER_ORGANISATION} endpoints; one more is refused with 400.`,
    body: { description: "The endpoint.", examples: { endpoint: { value: examples.registration } } },
    success: {
      description: "Registered. Keep the `signingSecret`.",
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
      "Changes the members that the body names and keeps the others. `url` takes effect with the next attempt, of " +
      "deliveries that are waiting too; `eventTypes` with the events that fire from then on. `active: false` stops " +
      "deliveries, and what fires meanwhile is not sent later; `active: true` starts them again, also after the " +
      "service itself made the endpoint inactive.",
    body: {
      description: "What is to change.",
      examples: {
        resume: { summary: "Start deliveries again", value: { active: true } },
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
    description: "Nothing more is sent to it; pending attempts are dropped.",
    success: { description: "Deleted." },
    notFound: "WebhookEndpointNotFound",
  },
  listWebhookDeliveries: {
    tag: "Webhook endpoints",
    description:
      "What became of the events of the last 30 days at this endpoint, newest event first, page by page: ids, times " +
      "and outcomes, and nothing of a candidate. There is more as long as there is a `nextCursor`; where a status is " +
      "very rare a page may hold fewer deliveries than `limit`, or none, and still have one.",
    query: {
      cursor: "The `nextCursor` of the page before. Keep the other parameters the same.",
      limit: {
        description: "How many deliveries a page holds at the most.",
        schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
      },
      status: "Only deliveries of this status.",
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
      "Sends the event again from its first attempt, with the same event id and byte for byte the same body, to the " +
      "endpoint's `url` and with its secret of now. Refused with 400 for an endpoint that is inactive, for a sample, " +
      "for a delivery with 100 attempts, and for an event of a candidate that was erased since, created again or not; " +
      "`candidate.erased` itself can be sent again until the candidate is created again.",
    success: { description: "The event is on its way." },
    notFound: "WebhookDeliveryNotFound",
  },
  rotateSigningSecret: {
    tag: "Webhook endpoints",
    description:
      "Gives the endpoint a new secret, shown **once**. `X-RR-Signature` is keyed with it from the next attempt on; for " +
      "24 hours each delivery also carries `X-RR-Signature-Previous`, keyed with the secret before. A secret that " +
      "has leaked ends at once when you rotate twice.",
    success: {
      description: "Rotated. Keep the new `signingSecret`.",
      examples: {
        endpoint: { value: examples.rotatedWebhookEndpoint },
      },
    },
    notFound: "WebhookEndpointNotFound",
  },
  testWebhookEndpoint: {
    tag: "Webhook endpoints",
    description:
      "Sends the endpoint a sample of its first event type: the real envelope with invented ids and " +
      '`"sample": true`, signed like any other and attempted once, also at an inactive endpoint.',
    success: { description: "A sample is on its way." },
    notFound: "WebhookEndpointNotFound",
  },
};

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
  const { operationId, summary, body, query, status, extension: isExtension }: OperationDefinition = row;
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
          required: true,
          description: its.body.description,
          content: json(body, its.body.examples),
        },
      }),
    responses: { [status]: success(row, its.success), ...errorAnswers(row, its.notFound) },
    ...(isExtension && extension),
  };
}
