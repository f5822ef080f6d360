import { compile, type JSONSchema } from "json-schema-to-typescript";
import * as z from "zod/mini";
import { CandidateRecord } from "../lib/contract/candidate-record.ts";
import { AvailabilityStatus, CandidateStatus, VerificationStatus } from "../lib/contract/candidate-status.ts";
import {
  Assessment,
  CandidateAmendment,
  CandidateSubmission,
  Competency,
  CreateResponse,
  Document,
  DocumentVersion,
  EducationItem,
  JobPreferences,
  LanguageItem,
  Link,
  MediaItem,
  SalaryExpectation,
  Skill,
  WorkEligibilityItem,
  WorkHistoryItem,
} from "../lib/contract/candidate-submission.ts";
import { ERROR_STATUS } from "../lib/contract/errors.ts";
import { EventType, Reason, WebhookEvent } from "../lib/contract/events.ts";
import {
  CreatedWebhookEndpoint,
  RotatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointRegistration,
  WebhookEndpointUpdate,
} from "../lib/contract/webhook-endpoint.ts";

/** What the service is sent: defaults may be left out. */
const requests = {
  Skill,
  WorkHistoryItem,
  EducationItem,
  LanguageItem,
  WorkEligibilityItem,
  DocumentVersion,
  Document,
  Link,
  MediaItem,
  Competency,
  Assessment,
  SalaryExpectation,
  JobPreferences,
  CandidateSubmission,
  CandidateAmendment,
  WebhookEndpointRegistration,
  WebhookEndpointUpdate,
};

/** What the service answers and sends. */
const answers = {
  CandidateStatus,
  VerificationStatus,
  AvailabilityStatus,
  CreateResponse,
  CandidateRecord,
  EventType,
  WebhookEndpoint,
  CreatedWebhookEndpoint,
  RotatedWebhookEndpoint,
  Reason,
  WebhookEvent,
  ErrorCode: z.enum(Object.keys(ERROR_STATUS)),
};

const BANNER = "// Made from the schemas in lib/contract by `npm run client`: change those.\n";

/** The source of `client/src/contract-types.ts`: the contract's schemas as types that need no library. */
export async function contractTypes(): Promise<string> {
  return [BANNER, ...(await declare(requests, "input")), ...(await declare(answers, "output"))].join("\n");
}

/** A declaration for each schema, which refers to the others by their names. */
function declare(
  schemas: Readonly<Record<string, z.ZodMiniType>>,
  io: "input" | "output",
): Promise<string[]> {
  const names = new Map(Object.entries(schemas).map(([name, schema]) => [schema as z.core.$ZodType, name]));
  return Promise.all(
    Object.entries(schemas).map(([name, schema]) => {
      const jsonSchema = z.toJSONSchema(schema, {
        io,
        override: ({ zodSchema, jsonSchema, path }) => {
          const reference = names.get(zodSchema);
          if (reference === undefined || path.length === 0) return;
          for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
          jsonSchema["tsType"] = reference;
        },
      });
      return compile(optionalOrUndefined(jsonSchema) as JSONSchema, name, {
        additionalProperties: false,
        bannerComment: "",
        ignoreMinAndMaxItems: true,
        style: { printWidth: 110 },
      });
    }),
  );
}

/** Lets an optional member be undefined too, which JSON leaves out: `{ phone: person.phone }` compiles. */
function optionalOrUndefined(schema: z.core.JSONSchema.BaseSchema): z.core.JSONSchema.BaseSchema {
  return JSON.parse(JSON.stringify(schema), (_, part) =>
    part?.type === "object" ? { ...part, properties: membersOf(part) } : part,
  );
}

function membersOf({ properties = {}, required = [] }: z.core.JSONSchema.ObjectSchema) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [
      name,
      required.includes(name) ? member : { anyOf: [...alternativesOf(member), { tsType: "undefined" }] },
    ]),
  );
}

function alternativesOf(member: z.core.JSONSchema._JSONSchema) {
  return (typeof member === "object" && member.anyOf) || [member];
}
