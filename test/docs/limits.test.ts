import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { oas31 } from "zod-openapi";
import { BATCH_ROWS } from "#contract/candidate-batch";
import { BODY_BYTES } from "#contract/errors";
import { ENDPOINTS_PER_ORGANISATION } from "#contract/webhook-endpoint";
import { environments } from "../../infra/environments.ts";
import { description } from "./description.ts";

/** The rows of the guide's tables, each by its first cell: the text of the second. */
const rows = new Map(
  readFileSync("docs/guides/limits.md", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, what = "", limit = ""]) => [what, limit]),
);

/** The numbers in a row of the guide, in order. */
function limitsOf(what: string): number[] {
  const limit = rows.get(what);
  expect(limit, what).toBeDefined();
  return (limit?.match(/\d[\d,]*/g) ?? []).map((digits) => Number(digits.replaceAll(",", "")));
}

function schemaOf(name: string, member: string): oas31.SchemaObject {
  const schema = description.components?.schemas?.[name] as oas31.SchemaObject;
  return schema.properties?.[member] as oas31.SchemaObject;
}

describe("the guide to limits says what the description says", () => {
  test.each(["skills", "referees", "tags"])("of the list %s", (member) => {
    expect(limitsOf(`\`${member}\``)).toEqual([schemaOf("CandidateSubmission", member).maxItems]);
  });

  test.each([
    ["workHistory", "education"],
    ["languages", "workEligibility", "media"],
    ["documents", "assessments"],
    ["links", "consents"],
  ])("of the lists %s, %s", (...members) => {
    const names = members.filter((member) => member !== undefined);
    const [limit] = limitsOf(names.map((member) => `\`${member}\``).join(", "));
    for (const member of names) {
      expect(schemaOf("CandidateSubmission", member).maxItems, member).toBe(limit);
    }
  });

  test.each<[string, string, string, readonly (keyof oas31.SchemaObject)[]]>([
    ["versions of a document", "Document", "versions", ["minItems", "maxItems"]],
    ["competencies of an assessment", "Assessment", "competencies", ["maxItems"]],
    [
      "`eventTypes` of a webhook endpoint or a recovery",
      "WebhookEndpointRegistration",
      "eventTypes",
      ["minItems", "maxItems"],
    ],
    [
      "`eventTypes` of a webhook endpoint or a recovery",
      "RecoveryRequest",
      "eventTypes",
      ["minItems", "maxItems"],
    ],
    ["reasons of a failed validation", "SandboxTransitionRequest", "reasons", ["minItems", "maxItems"]],
    ["`description` of a webhook endpoint", "WebhookEndpointRegistration", "description", ["maxLength"]],
    ["`externalId`", "CandidateSubmission", "externalId", ["minLength", "maxLength"]],
    ["years of experience", "Skill", "yearsExperience", ["minimum", "maximum"]],
    ["year a skill was last used", "Skill", "lastUsedYear", ["minimum", "maximum"]],
    ["score", "Assessment", "score", ["minimum", "maximum"]],
    ["size of a file that a document or a media item describes", "MediaItem", "sizeBytes", ["maximum"]],
  ])("of %s, in %s", (what, name, member, keywords) => {
    const schema = schemaOf(name, member);
    expect(limitsOf(what)).toEqual(keywords.map((keyword) => schema[keyword]));
  });

  test("of bodies, URLs and e-mail addresses", () => {
    expect(limitsOf("a body")).toEqual([BODY_BYTES / 1024 ** 2, BODY_BYTES, 413]);
    expect(limitsOf("URL")[0]).toBe(schemaOf("WebhookEndpointRegistration", "url").maxLength);
    expect(limitsOf("e-mail address")[0]).toBe(schemaOf("CandidateSubmission", "email").maxLength);
  });

  test.each([
    ["README.md", "A request body may be up to "],
    ["docs/guides/errors.md", "a body may be up to "],
    ["docs/guides/limits.md", `1 to ${BATCH_ROWS}, `],
    ["docs/guides/idempotent-sync.md", "candidates in one request, "],
    ["client/README.md", `A request contains up to ${BATCH_ROWS} rows and `],
    ["client/src/client.ts", "candidates in one call, at most "],
  ])("of bodies, in %s after “%s”", (file, before) => {
    const text = `${before}${BODY_BYTES / 1024 ** 2} MiB`;
    expect(readFileSync(file, "utf8").includes(text), `${file} must contain: ${text}`).toBe(true);
  });

  test.each([
    ["lib/contract/operations.ts", `Create up to ${BATCH_ROWS} candidates`],
    ["README.md", `with up to ${BATCH_ROWS} candidates`],
    ["client/README.md", `each of up to ${BATCH_ROWS} candidates`],
    ["client/src/client.ts", `Creates up to ${BATCH_ROWS} candidates`],
    ["docs/guides/idempotent-sync.md", `creates up to ${BATCH_ROWS} candidates`],
    ["docs/guides/limits.md", `webhook endpoints of an organisation | ${ENDPOINTS_PER_ORGANISATION} |`],
    ["docs/guides/webhooks.md", `An organisation has up to ${ENDPOINTS_PER_ORGANISATION} endpoints.`],
    ["docs/scale.md", `endpoints, ${ENDPOINTS_PER_ORGANISATION} at most for one organisation`],
  ])("of batches and of webhook endpoints, in %s: “%s”", (file, text) => {
    expect(readFileSync(file, "utf8").includes(text), `${file} must contain: ${text}`).toBe(true);
  });

  test("of the requests to an operation and with a key", () => {
    const throttles = environments.map(({ throttle }) => throttle);

    expect(limitsOf("requests to one operation, from all callers together")).toEqual(
      throttles.map(({ ratePerSecond }) => ratePerSecond),
    );
    expect(
      limitsOf("batches, from all callers together"),
      "a method's rate, divided by a batch's rows",
    ).toEqual(throttles.map(({ ratePerSecond }) => ratePerSecond / BATCH_ROWS));
    for (const { burst, ratePerSecond } of throttles) expect(burst).toBe(2 * ratePerSecond);
    const production = environments.find(({ name }) => name === "production");
    expect(limitsOf("requests with your key in production")[0]).toBe(production?.edge?.perKey);
  });
});
