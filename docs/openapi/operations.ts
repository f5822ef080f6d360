import type { oas31, ZodOpenApiPathsObject } from "zod-openapi";
import { CandidateAmendment, CandidateSubmission, ErasureRequest } from "#contract/candidate-submission";
import { FindCandidateQuery } from "#contract/parameters";
import { WebhookDeliveriesQuery, WebhookDeliveryPage } from "#contract/webhook-delivery";
import {
  CreatedWebhookEndpoint,
  RotatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookEndpointRegistration,
  WebhookEndpointUpdate,
} from "#contract/webhook-endpoint";
import { emptySuccess, errorAnswers, json, receiptAnswer, recordAnswer, success } from "./answers.ts";
import { queryParameters } from "./described.ts";
import * as examples from "./examples.ts";
import { extension } from "./extension.ts";

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

const candidateId = { $ref: "#/components/parameters/candidateId" } as const;
const eventId = { $ref: "#/components/parameters/eventId" } as const;
const endpointId = { $ref: "#/components/parameters/endpointId" } as const;

const ifMatch: oas31.ParameterObject = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of the record as you read it: if it has changed since, the answer is 412 and nothing is written. " +
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
} as const satisfies oas31.ResponseObject["links"];

const candidates: ZodOpenApiPathsObject = {
  "/v1/candidates": {
    post: {
      operationId: "createCandidate",
      tags: ["Candidates"],
      summary: "Create a candidate",
      description:
        "Takes a candidate into intake. Idempotent on `externalId` within your organisation: a retry gets the " +
        "original answer, makes no duplicate and fires no second event, whatever else its body holds. " +
        "To bring data up to date, amend the candidate.",
      requestBody: {
        required: true,
        description: "The candidate. A body may be 4 MiB.",
        content: json(CandidateSubmission, {
          smallest: { summary: "The least that is accepted", value: examples.smallestSubmission },
          full: { summary: "A fuller candidate", value: examples.submission },
        }),
      },
      responses: {
        201: { ...receiptAnswer(examples.receipt), links: withTheHandle },
        ...errorAnswers("PayloadTooLarge", "UnsupportedMediaType"),
      },
    },
    get: {
      operationId: "findCandidate",
      tags: ["Candidates"],
      summary: "Find a candidate by externalId",
      description:
        "The record of the candidate that your organisation created with this `externalId`. Other query parameters are ignored.",
      parameters: queryParameters(FindCandidateQuery, {
        externalId: "The `externalId` that was given at create, percent-encoded. Once, and not empty.",
      }),
      responses: {
        200: recordAnswer("The candidate's record.", examples.record),
        ...errorAnswers("CandidateNotFound"),
      },
    },
  },
  "/v1/candidates/{id}": {
    parameters: [candidateId],
    get: {
      operationId: "getCandidate",
      tags: ["Candidates"],
      summary: "Get a candidate",
      description:
        "The candidate's record in the safe projection. What was just written is read: there is no delay.",
      responses: {
        200: recordAnswer("The candidate's record.", examples.record),
        ...errorAnswers("CandidateNotFound"),
      },
    },
    put: {
      operationId: "amendCandidate",
      tags: ["Candidates"],
      summary: "Amend a candidate",
      description:
        "Changes the members that the body names and keeps the others. `{}` changes nothing. An invalid body changes " +
        "nothing either. `documents` and `assessments` replace what is yours to replace: see the members of the body. " +
        "**An empty list of `documents` removes the sensitive ones too, which no read shows.** A repeated " +
        "`consentGiven: false` is 404 `consent_revoked`, which then means done.",
      parameters: [ifMatch],
      requestBody: {
        required: true,
        description: "What is to change. A body may be 4 MiB.",
        content: json(CandidateAmendment, examples.amendments),
      },
      responses: {
        200: recordAnswer("The record after the amend.", examples.record),
        ...errorAnswers("CandidateNotFound", "PreconditionFailed", "PayloadTooLarge", "UnsupportedMediaType"),
      },
    },
  },
  "/v1/candidates/{id}/erasure": {
    parameters: [candidateId],
    post: {
      operationId: "requestErasure",
      tags: ["Candidates"],
      summary: "Erase a candidate",
      description:
        "Erases the candidate, for good: its handles return 404 from then on, and `candidate.erased` fires. It works " +
        "for a candidate that has withdrawn consent too. With another `externalId` than the record's it is refused " +
        "with 400 and nothing changes. A repeated request gets 404, which then means done. An environment may refuse " +
        "every erasure request with 400: ask the platform team there.",
      requestBody: {
        required: true,
        description: "The candidate's `externalId`, so that a mistaken id erases nobody.",
        content: json(ErasureRequest, { erasure: { value: { externalId: examples.submission.externalId } } }),
      },
      responses: {
        202: emptySuccess("Erased. Subscribers are notified, and backups expire, later."),
        ...errorAnswers("NoCandidateToErase", "PayloadTooLarge", "UnsupportedMediaType"),
      },
      ...extension,
    },
  },
};

const webhookEndpoints: ZodOpenApiPathsObject = {
  "/v1/webhook-endpoints": {
    post: {
      operationId: "createWebhookEndpoint",
      tags: ["Webhook endpoints"],
      summary: "Register an endpoint",
      description:
        "Registers where events are sent to. The answer holds the `signingSecret`, **once**: keep it, it cannot be " +
        "read again. An organisation may have 50 endpoints; one more is refused with 400.",
      requestBody: {
        required: true,
        description: "The endpoint.",
        content: json(WebhookEndpointRegistration, { endpoint: { value: examples.registration } }),
      },
      responses: {
        201: success("Registered. Keep the `signingSecret`.", CreatedWebhookEndpoint, {
          endpoint: { value: examples.createdWebhookEndpoint },
        }),
        ...errorAnswers("PayloadTooLarge", "UnsupportedMediaType"),
      },
    },
    get: {
      operationId: "listWebhookEndpoints",
      tags: ["Webhook endpoints"],
      summary: "List the endpoints",
      description: "All of your organisation's endpoints, oldest first, without their secrets.",
      responses: {
        200: success("The endpoints.", WebhookEndpointList, {
          endpoints: { value: { data: [examples.webhookEndpoint] } },
        }),
        ...errorAnswers(),
      },
    },
  },
  "/v1/webhook-endpoints/{id}": {
    parameters: [endpointId],
    get: {
      operationId: "getWebhookEndpoint",
      tags: ["Webhook endpoints"],
      summary: "Get an endpoint",
      description: "One endpoint, without its secret.",
      responses: {
        200: success("The endpoint.", WebhookEndpoint, { endpoint: { value: examples.webhookEndpoint } }),
        ...errorAnswers("WebhookEndpointNotFound"),
      },
    },
    patch: {
      operationId: "updateWebhookEndpoint",
      tags: ["Webhook endpoints"],
      summary: "Change an endpoint",
      description:
        "Changes the members that the body names and keeps the others. `url` takes effect with the next try, of " +
        "deliveries that are waiting too; `eventTypes` with the events that fire from then on. `active: false` stops " +
        "deliveries, and what fires meanwhile is not sent later; `active: true` starts them again, also after the " +
        "service itself made the endpoint inactive.",
      requestBody: {
        required: true,
        description: "What is to change.",
        content: json(WebhookEndpointUpdate, {
          resume: { summary: "Start deliveries again", value: { active: true } },
          move: { summary: "Send to another address", value: { url: "https://hooks.example.com/v2" } },
        }),
      },
      responses: {
        200: success("The endpoint after the change.", WebhookEndpoint, {
          endpoint: { value: examples.webhookEndpoint },
        }),
        ...errorAnswers("WebhookEndpointNotFound", "PayloadTooLarge", "UnsupportedMediaType"),
      },
      ...extension,
    },
    delete: {
      operationId: "deleteWebhookEndpoint",
      tags: ["Webhook endpoints"],
      summary: "Delete an endpoint",
      description: "Nothing more is sent to it; tries that are pending are dropped.",
      responses: { 204: emptySuccess("Deleted."), ...errorAnswers("WebhookEndpointNotFound") },
    },
  },
  "/v1/webhook-endpoints/{id}/deliveries": {
    parameters: [endpointId],
    get: {
      operationId: "listWebhookDeliveries",
      tags: ["Webhook endpoints"],
      summary: "List an endpoint's deliveries",
      description:
        "What became of the events of the last 30 days at this endpoint, newest event first, page by page: ids, times " +
        "and outcomes, and nothing of a candidate. There is more as long as there is a `nextCursor`; where a status is " +
        "very rare a page may hold fewer deliveries than `limit`, or none, and still have one.",
      parameters: queryParameters(WebhookDeliveriesQuery, {
        cursor: "The `nextCursor` of the page before. Keep the other parameters the same.",
        limit: {
          description: "How many deliveries a page holds at the most.",
          schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
        },
        status: "Only deliveries of this status.",
      }),
      responses: {
        200: success("A page of deliveries.", WebhookDeliveryPage, {
          page: { value: examples.webhookDeliveryPage },
        }),
        ...errorAnswers("WebhookEndpointNotFound"),
      },
      ...extension,
    },
  },
  "/v1/webhook-endpoints/{id}/deliveries/{eventId}/resend": {
    parameters: [endpointId, eventId],
    post: {
      operationId: "resendWebhookDelivery",
      tags: ["Webhook endpoints"],
      summary: "Send a delivery again",
      description:
        "Sends the event once more from its first try, with the same event id and byte for byte the same body, to the " +
        "endpoint's `url` and with its secret of now. Refused with 400 for an endpoint that is inactive, for a sample, " +
        "for a delivery with 100 tries, and for an event of a candidate that was erased since, created again or not; " +
        "`candidate.erased` itself can be sent again until the candidate is created again.",
      responses: {
        202: emptySuccess("The event is on its way."),
        ...errorAnswers("WebhookDeliveryNotFound"),
      },
      ...extension,
    },
  },
  "/v1/webhook-endpoints/{id}/rotate-secret": {
    parameters: [endpointId],
    post: {
      operationId: "rotateSigningSecret",
      tags: ["Webhook endpoints"],
      summary: "Rotate the signing secret",
      description:
        "Gives the endpoint a new secret, told **once**. `X-RR-Signature` is keyed with it from the next try on; for " +
        "24 hours each delivery also carries `X-RR-Signature-Previous`, keyed with the secret before. A secret that " +
        "has leaked ends at once when you rotate twice.",
      responses: {
        200: success("Rotated. Keep the new `signingSecret`.", RotatedWebhookEndpoint, {
          endpoint: { value: examples.rotatedWebhookEndpoint },
        }),
        ...errorAnswers("WebhookEndpointNotFound"),
      },
      ...extension,
    },
  },
  "/v1/webhook-endpoints/{id}/test": {
    parameters: [endpointId],
    post: {
      operationId: "testWebhookEndpoint",
      tags: ["Webhook endpoints"],
      summary: "Send a sample event",
      description:
        "Sends the endpoint a sample of its first event type: the real envelope with invented ids and " +
        '`"sample": true`, signed like any other and tried once, to an inactive endpoint too.',
      responses: {
        202: emptySuccess("A sample is on its way."),
        ...errorAnswers("WebhookEndpointNotFound"),
      },
    },
  },
};

/** Every operation of the API, by path. */
export const paths: ZodOpenApiPathsObject = { ...candidates, ...webhookEndpoints };
