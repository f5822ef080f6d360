import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { oas31 } from "zod-openapi";
import { generateApiKey } from "#api-keys/api-key";
import { CandidateStatus } from "#contract/candidate-status";
import { ERROR_STATUS, type ErrorCode } from "#contract/errors";
import { EVENT_TYPES, EXTENSION_EVENT_TYPES, WebhookEvent } from "#contract/events";
import type { OperationDefinition } from "#contract/operation-definition";
import { operations as contractOperations } from "#contract/operations";
import { WebhookEndpointRegistration } from "#contract/webhook-endpoint";
import { EnvironmentName } from "#runtime/environment";
import { runtime } from "#runtime/runtime";
import { nextAttemptIn } from "#webhooks/delivery/retry-schedule";
import { sampleOf } from "#webhooks/delivery/sample";
import { deliverableUrl } from "#webhooks/endpoints/deliverable-url";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import * as examples from "../../tools/openapi/candidate-examples.ts";
import { openApiJson } from "../../tools/openapi/document.ts";
import { event } from "../../tools/openapi/event-examples.ts";
import { schemas } from "../../tools/openapi/schemas.ts";
import { amendmentCases, submissionCases } from "../contract/cases.ts";
import { deliveries, description, jsonSchemaOf, operations, resolve, violation } from "./description.ts";

const responsesOf = ({ responses = {} }: oas31.OperationObject) =>
  Object.entries(responses).map(
    ([status, response]) => [status, resolve(response as oas31.ResponseObject)] as const,
  );

test("docs/openapi.json is the output of `npm run openapi`", () => {
  expect(readFileSync("docs/openapi.json", "utf8") === openApiJson(), "Run: npm run openapi").toBe(true);
});

test.each(EnvironmentName.options)(
  "the description has a server for %s, with the prefix of its keys",
  (name) => {
    const texts = (description.servers ?? []).map((server) => server.description ?? "");
    const prefix = generateApiKey(name).replace(/[^_]*$/, "");

    expect(texts, "tools/openapi/document.ts").toContain(
      `The ${name} environment. Its keys begin with \`${prefix}\`.`,
    );
  },
);

describe("the OpenAPI description explains", () => {
  test.each(Object.entries(description.components?.schemas ?? {}))("%s and its members", (name, schema) => {
    const { description: text, properties = {} } = schema as oas31.SchemaObject;
    expect(text, name).toMatch(/\.$/);
    for (const [member, property] of Object.entries(properties)) {
      expect(property.description, `${name}.${member}`).toMatch(/\.\)?(?:\*\*)?$/);
    }
  });

  test.each([...operations, ...deliveries])("the operation $route", ({ route, operation, parameters }) => {
    expect(operation).toMatchObject({
      operationId: expect.any(String),
      summary: expect.any(String),
      description: expect.stringMatching(/\.(?:\*\*)?$/),
      tags: [expect.any(String)],
    });
    const spoken = [...parameters, ...responsesOf(operation).map(([, response]) => response)];
    if (operation.requestBody) spoken.push(operation.requestBody as oas31.RequestBodyObject as never);
    for (const part of spoken) expect(part.description, route).toMatch(/\.$/);
    for (const [status, { headers = {} }] of responsesOf(operation)) {
      for (const [name, header] of Object.entries(headers)) {
        expect(resolve(header).description, `${status} ${name}`).toMatch(/\.$/);
      }
    }
  });
});

describe("every operation in the OpenAPI description", () => {
  const everyOperation: readonly ErrorCode[] = [
    "invalid_request",
    "unauthorized",
    "rate_limited",
    "internal_error",
    "service_unavailable",
    "timeout",
    "method_not_allowed",
  ];

  test("is described as in the list of operations, and no other is", () => {
    const described = operations.map(({ route, operation }) => ({
      route,
      operationId: operation.operationId,
      summary: operation.summary,
      successes: Object.keys(operation.responses ?? {}).filter((status) => status.startsWith("2")),
      codes: responsesOf(operation)
        .flatMap(([status, response]) => Object.keys(errorExamples(status, response)))
        .sort(),
      isExtension: Object.hasOwn(operation, "x-extension"),
      isSandbox: Object.hasOwn(operation, "x-sandbox"),
    }));

    const rows = contractOperations.map((row: OperationDefinition) => ({
      route: `${row.method} ${row.path}`,
      operationId: row.operationId,
      summary: row.summary,
      successes: [String(row.status)],
      codes: [
        ...everyOperation,
        ...(row.method === "GET" ? [] : ["unsupported_media_type"]),
        ...(row.body ? ["payload_too_large"] : []),
        ...row.errors,
      ].sort(),
      isExtension: row.extension === true,
      isSandbox: row.sandbox === true,
    }));
    expect(described).toHaveLength(rows.length);
    expect(described).toEqual(expect.arrayContaining(rows));
  });

  test.each(operations)("$route has the common headers on each response", ({ operation }) => {
    for (const [status, { headers }] of responsesOf(operation)) {
      expect(Object.keys(headers ?? {}), status).toEqual(
        expect.arrayContaining(["X-Request-Id", "Cache-Control", "X-Content-Type-Options"]),
      );
    }
  });

  test.each(operations)(
    "$route has 4xx and 5xx responses, with an example of each error code",
    ({ operation }) => {
      const statuses = responsesOf(operation).map(([status]) => status);
      expect(statuses).toEqual(expect.arrayContaining(["400", "401", "429", "500", "503", "504", "default"]));
      for (const [status, response] of responsesOf(operation)) {
        for (const [code, example] of Object.entries(errorExamples(status, response))) {
          expect(resolve(example).value).toMatchObject({ error: code });
        }
      }
    },
  );

  test("has error codes that together are all codes, each under its status", () => {
    const shown = operations.flatMap(({ operation }) =>
      responsesOf(operation).flatMap(([status, response]) =>
        Object.keys(errorExamples(status, response)).map((code) => `${code} ${status}`),
      ),
    );

    expect([...new Set(shown)].sort()).toEqual(
      Object.entries(ERROR_STATUS)
        .map(([code, status]) => `${code} ${code === "method_not_allowed" ? "default" : status}`)
        .sort(),
    );
  });
});

function errorExamples(status: string, response: oas31.ResponseObject) {
  return /^[123]/.test(status) ? {} : (response.content?.["application/json"]?.examples ?? {});
}

test("a receipt links every operation on its candidate", () => {
  const receipt = description.paths?.["/v1/candidates"]?.post?.responses?.["201"] as
    | oas31.ResponseObject
    | undefined;
  const onCandidate = contractOperations.filter(({ path }) => path.startsWith("/v1/candidates/{id}"));

  expect(
    Object.keys(receipt?.links ?? {}).sort(),
    "`withTheHandle` in tools/openapi/candidate-operations.ts",
  ).toEqual(onCandidate.map(({ operationId }) => operationId).sort());
});

describe("the examples in the OpenAPI description", () => {
  const bodies = [...operations, ...deliveries].flatMap(({ route, operation }) => [
    [`${route} request`, operation.requestBody as oas31.RequestBodyObject | undefined] as const,
    ...responsesOf(operation).map(([status, response]) => [`${route} ${status}`, response] as const),
  ]);
  const examples = bodies.flatMap(([where, body]) => {
    const content = body?.content?.["application/json"];
    return Object.entries(content?.examples ?? {}).map(
      ([name, example]) => [`${where} ${name}`, content?.schema, resolve(example).value] as const,
    );
  });

  test("exist for every body", () => {
    for (const [where, body] of bodies) {
      const content = body?.content?.["application/json"];
      if (content) expect(Object.keys(content.examples ?? {}), where).not.toEqual([]);
    }
  });

  test.each(examples)("of %s satisfy the contract's schema", (_where, schema, value) => {
    const [, name = ""] = /\/(\w+)$/.exec((schema as oas31.ReferenceObject).$ref) ?? [];

    expect(schema, "describe it in a table of schemas in tools/openapi").toHaveProperty("$ref");
    expect(schemas[name]?.schema.safeParse(value)).toMatchObject({ success: true });
    expect(violation(schema ?? {}, value, "closed")).toBeUndefined();
  });
});

test("no schema of a response has a default: it has its members", () => {
  const responses = Object.entries(description.components?.schemas ?? {}).filter(([name]) =>
    name.startsWith("Record"),
  );
  expect(responses.length).toBeGreaterThan(5);
  expect(JSON.stringify(responses)).not.toContain('"default":');
});

test("what a candidate is returned with has the formats with which it is sent", () => {
  const formatsOf = (name: string) => {
    const { properties = {} } = resolve(description.components?.schemas?.[name] as oas31.SchemaObject);
    return Object.entries(properties).map(
      ([member, schema]) => [member, resolve(schema as oas31.SchemaObject).format] as const,
    );
  };
  const returned = Object.keys(description.components?.schemas ?? {}).filter((name) =>
    name.startsWith("Record"),
  );
  const differing = returned.flatMap((name) => {
    const sent = new Map(formatsOf(name.replace("Record", "")));
    return formatsOf(name).filter(([member, format]) => sent.get(member) !== format);
  });

  expect(returned.length).toBeGreaterThan(5);
  expect(differing).toEqual([]);
});

// The reference's request form sends a parameter that has an example.
test.each(operations)(
  "$route has examples for the parameters that it needs, and for no others",
  ({ parameters }) => {
    for (const { name, required, schema } of parameters) {
      const { examples: of, enum: values } = resolve(schema as oas31.SchemaObject);
      expect({ name, isFilledIn: of !== undefined || values !== undefined }).toEqual({
        name,
        isFilledIn: required === true || values !== undefined,
      });
    }
  },
);

test("every event type is a webhook whose example is such an event", () => {
  expect(deliveries.map(({ route }) => route)).toEqual(EVENT_TYPES.map((type) => `POST ${type}`));
  for (const { route, operation } of deliveries) {
    const { content } = operation.requestBody as oas31.RequestBodyObject;
    const { value } = resolve(content["application/json"]?.examples?.["event"] ?? {});
    expect(WebhookEvent.parse(value)).toEqual(value);
    expect(`POST ${value.type}`).toBe(route);
  }
});

test("deliveries and operations have no tag in common", () => {
  const tagsOf = (described: typeof operations) => described.flatMap(({ operation }) => operation.tags ?? []);
  const ofDeliveries = new Set(tagsOf(deliveries));

  expect(ofDeliveries.size).toBeGreaterThan(0);
  expect(tagsOf(operations).filter((tag) => ofDeliveries.has(tag))).toEqual([]);
});

test.each(EVENT_TYPES)("%s is an event of the feed, and exactly one kind of event in a delivery", (type) => {
  for (const name of ["FeedEvent", "WebhookEvent"]) {
    for (const form of ["published", "closed"] as const) {
      expect(violation({ $ref: `#/components/schemas/${name}` }, event(type), form)).toBeUndefined();
    }
  }
});

// Generated clients take the first alternative that fits.
test("the first alternative of a feed event that accepts a rejection has its reasons", () => {
  const { anyOf = [] } = resolve<oas31.SchemaObject>({ $ref: "#/components/schemas/FeedEvent" });
  const rejection = event("candidate.validation_failed");

  expect(anyOf.find((alternative) => violation(alternative, rejection, "published") === undefined)).toEqual({
    $ref: "#/components/schemas/CandidateValidationFailedFeedEvent",
  });
});

test("an event of the feed may have a type that a later version adds", () => {
  const added = { ...event("candidate.received"), type: "candidate.hired" };

  expect(violation({ $ref: "#/components/schemas/FeedEvent" }, added, "published")).toBeUndefined();
});

test.each(EVENT_TYPES)("the guide to webhooks has %s in its table of events", (type) => {
  const isListed = readFileSync("docs/guides/webhooks.md", "utf8").includes(`\n| \`${type}\` `);
  expect(isListed, `docs/guides/webhooks.md must have a row for ${type}`).toBe(true);
});

test.each(CandidateStatus.options)("the guide to the lifecycle has %s in its table of statuses", (status) => {
  const isListed = readFileSync("docs/guides/lifecycle.md", "utf8").includes(`\n| \`${status}\` | `);
  expect(isListed, `docs/guides/lifecycle.md must have a row for ${status}`).toBe(true);
});

test.each(["README.md", "docs/guides/versioning.md"])("%s names every event beyond the contract", (file) => {
  const text = readFileSync(file, "utf8");
  expect(EXTENSION_EVENT_TYPES.filter((type) => !text.includes(`\`${type}\``))).toEqual([]);
});

test.each(EVENT_TYPES)("a sample of %s satisfies the schema of its webhook", (type) => {
  const { operation } = deliveries.find(({ route }) => route === `POST ${type}`) ?? {};
  const schema = jsonSchemaOf(operation?.requestBody as oas31.RequestBodyObject);

  expect(violation(schema ?? { not: {} }, sampleOf(type, runtime), "closed")).toBeUndefined();
});

test("exactly the events beyond the contract are marked as extensions", () => {
  const marked = deliveries.filter(({ operation }) => Object.hasOwn(operation, "x-extension"));

  expect(marked.map(({ route }) => route)).toEqual(EXTENSION_EVENT_TYPES.map((type) => `POST ${type}`));
  expect(deliveries.length - marked.length).toBe(6);
});

test("exactly the parameters beyond the contract of its operations are marked as extensions", () => {
  const marked = operations
    .filter(({ operation }) => !Object.hasOwn(operation, "x-extension"))
    .flatMap(({ parameters }) => parameters)
    .filter((parameter) => Object.hasOwn(parameter, "x-extension"));

  expect(marked.map(({ name }) => name).sort()).toEqual(["If-Match", "eventType"]);
});

/** Everything in the description that a condition picks, with the path to it. */
function partsOf(
  part: unknown,
  isMeant: (name: string, value: unknown) => boolean,
  path = "",
): [string, unknown][] {
  if (typeof part !== "object" || part === null) return [];
  return Object.entries(part).flatMap(([name, value]): [string, unknown][] => [
    ...(isMeant(name, value) ? [[`${path}.${name}`, value] as [string, unknown]] : []),
    ...partsOf(value, isMeant, `${path}.${name}`),
  ]);
}

// Generators of clients make a type without a name, or `any`, of what a schema combines with its own keywords.
test("schemas combine no others with their own keywords", () => {
  const isCombination = (name: string) => ["allOf", "not"].includes(name);

  expect(partsOf(description, isCombination)).toEqual([]);
});

test("every component is used, except the union of deliveries, which is for receivers", () => {
  const references = new Set(
    partsOf(description, (name) => name === "$ref").map(([, reference]) => reference),
  );
  const { securitySchemes: _, ...components } = description.components ?? {};
  const names = Object.entries(components).flatMap(([kind, parts]) =>
    Object.keys(parts ?? {}).map((name) => `#/components/${kind}/${name}`),
  );

  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => !references.has(name))).toEqual(["#/components/schemas/WebhookEvent"]);
});

// Generators make a type of each enumeration that has no name.
test("values that several members or parameters take have a name", () => {
  const enumerations = partsOf(description, (name, value) => name === "enum" && Array.isArray(value)).map(
    ([, values]) => String(values),
  );

  expect(enumerations.length).toBeGreaterThan(10);
  expect(enumerations).toEqual([...new Set(enumerations)]);
});

// Generators name a union without a name after its place.
test("every union has a name", () => {
  const unions = partsOf(description, (name) => ["anyOf", "oneOf"].includes(name));

  expect(unions.map(([path]) => path)).toEqual(
    ["BatchResult.anyOf", "FeedEvent.anyOf", "WebhookEvent.oneOf"].map(
      (name) => `.components.schemas.${name}`,
    ),
  );
});

test("every integer has the contract's bounds, not those of the language", () => {
  const unbounded = partsOf(description, (name, value) => name === "minimum" && Number(value) < 0);

  expect(unbounded).toEqual([]);
});

// Generators of Go clients take a number without a format for one of 32 bits.
test("every number that is not an integer has double precision", () => {
  const numbers = partsOf(description, (_name, value) =>
    [(value as oas31.SchemaObject | null)?.type].flat().includes("number"),
  );

  expect(numbers.length).toBeGreaterThan(5);
  expect(numbers.filter(([, schema]) => (schema as oas31.SchemaObject).format !== "double")).toEqual([]);
});

describe("every pattern in the OpenAPI description", () => {
  const patterns = partsOf(description, (name, value) => name === "pattern" && typeof value === "string");

  // What RE2 leaves out (its wiki, "Syntax"): lookaround, backreferences, and repetition above 1000.
  const BEYOND_RE2 = /\(\?<?[=!]|\\[1-9]|\\k<|\{\d*,?\d{4,}/;

  test.each(patterns)("%s loads in RE2, and so in Go: %s", (_path, pattern) => {
    expect(String(pattern)).not.toMatch(BEYOND_RE2);
    expect(pattern).not.toContain("\\/");
    expect(() => new RegExp(String(pattern), "u")).not.toThrow();
  });

  test.each(["(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(a)\\1", "(?<x>a)\\k<x>", "a{1,2048}"])(
    "is tested against RE2, which refuses %s",
    (pattern) => {
      expect(pattern).toMatch(BEYOND_RE2);
    },
  );
});

describe("enumerations that v1 may extend", () => {
  const components = (description.components?.schemas ?? {}) as Readonly<Record<string, oas31.SchemaObject>>;
  const namesIn = (part: unknown, found = new Set<string>()): ReadonlySet<string> => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/schemas\/(\w+)"/g)) {
      if (!found.has(name)) namesIn(components[name], found.add(name));
    }
    return found;
  };
  const requested = namesIn(operations.map(({ operation }) => operation.requestBody ?? {}));
  const enumerations = (name: string) => partsOf(components[name], (member) => member === "enum");
  const openOnes = (name: string) => partsOf(components[name], (member) => member === "x-extensible-enum");

  test.each(Object.keys(components).filter((name) => !requested.has(name)))(
    "are open in a %s that the service sends",
    (name) => {
      expect(enumerations(name)).toEqual([]);
    },
  );

  test.each([...requested])("are closed in a %s that the service receives", (name) => {
    expect(openOnes(name)).toEqual([]);
  });

  test("accept a new value in validation, and list the known ones", () => {
    const schema = { $ref: "#/components/schemas/CandidateRecord" };
    const record = { ...examples.record, status: "paused" };

    expect(violation(schema, record, "published")).toBeUndefined();
    expect(violation(schema, record, "closed")).toMatch(/status must be equal to one of/);
    expect(components["CandidateRecord"]?.properties?.["status"]).toMatchObject({
      type: "string",
      description: expect.stringContaining("`promoted`"),
    });
  });
});

describe("a webhook endpoint's url in the OpenAPI description", () => {
  const schema = { $ref: "#/components/schemas/WebhookEndpointRegistration" };
  const violationOf = (url: string) =>
    violation(schema, { url, eventTypes: ["candidate.received"] }, "published");

  test.each([
    ["https://hooks.example.com", ""],
    ["HTTPS://Hooks.Example.com:8443/a?b=@#c", ""],
    ["https://1.1.1.1/", ""],
    ["https://[2606:4700:4700::1111]/a@b", ""],
    ["http://127.0.0.1:3000/hooks", "127.0.0.0/8"],
    ["http://localhost:3000?x", "127.0.0.0/8"],
  ])("is valid if the service accepts it: %s", (url, networks) => {
    const registration = { url, eventTypes: ["candidate.received"] };
    expect(WebhookEndpointRegistration.safeParse(registration)).toMatchObject({ success: true });
    expect(deliverableUrl(AllowedNetworks.parse(networks)).safeParse(url).success).toBe(true);

    expect(violationOf(url)).toBeUndefined();
  });

  test.each([
    "ftp://hooks.example.com/",
    "https:hooks.example.com",
    "https:///hooks.example.com/",
    "https://user:secret@hooks.example.com/",
    "https://@hooks.example.com/",
    "mailto:hooks@example.com",
    `https://hooks.example.com/${"x".repeat(2048)}`,
  ])("is invalid if the service refuses it: %s", (url) => {
    const registration = { url, eventTypes: ["candidate.received"] };
    expect(WebhookEndpointRegistration.safeParse(registration)).toMatchObject({ success: false });

    expect(violationOf(url)).toBeDefined();
  });
});

test.each(["documents", "assessments"])(
  "the limit of 50 %s applies to a request body, not to the record",
  (member) => {
    const mostOf = (name: string) => {
      const { properties = {} } = resolve<oas31.SchemaObject>({ $ref: `#/components/schemas/${name}` });
      return resolve<oas31.SchemaObject>(properties[member] ?? {}).maxItems;
    };

    expect(mostOf("CandidateSubmission")).toBe(50);
    expect(mostOf("CandidateAmendment")).toBe(50);
    expect(mostOf("CandidateRecord")).toBeUndefined();
  },
);

describe("the OpenAPI description accepts and refuses the same bodies as the contract's schema:", () => {
  /** Told in words: JSON Schema has none for them. */
  const inWords = /surrogate|unique|currentVersion|javascript|vbscript/i;

  test.each([
    ["CandidateSubmission", submissionCases()],
    ["CandidateAmendment", amendmentCases()],
  ])("%s", (name, cases) => {
    const schema = { $ref: `#/components/schemas/${name}` };
    const wrong = cases
      .filter(
        ({ body, accepted }) =>
          (violation(schema, JSON.parse(JSON.stringify(body)), "published") === undefined) !== accepted,
      )
      .map(({ path, what, accepted }) => `${path}: ${what} ${accepted}`);
    expect(wrong.filter((told) => !inWords.test(told))).toEqual([]);
  });
});

test("the description and the documents state the retry schedule of deliveries", () => {
  const withoutJitter = 0.5;
  const inSeconds: number[] = [];
  for (
    let wait = nextAttemptIn("standard", 1, undefined, withoutJitter);
    wait !== undefined;
    wait = nextAttemptIn("standard", inSeconds.length + 1, undefined, withoutJitter)
  ) {
    inSeconds.push(wait / 1_000);
  }
  const waits = inSeconds.map((seconds) => {
    if (seconds < 60) return `${seconds} s`;
    return seconds < 3_600 ? `${seconds / 60} min` : `${seconds / 3_600} h`;
  });
  const schedule = `${waits.slice(0, -1).join(", ")} and ${waits.at(-1)}`;
  const hours = `${Math.round(inSeconds.reduce((sum, seconds) => sum + seconds) / 3_600)} hours`;

  for (const [file, text] of [
    ["docs/openapi.json", `Retried after ${schedule} (`],
    ["docs/guides/webhooks.md", `retried after ${schedule},`],
    ["README.md", `after ${waits.slice(0, 3).join(", ")} and so on`],
    ["docs/guides/webhooks.md", `over some ${hours}`],
    ["docs/guides/never-miss-an-event.md", `retries for ${hours}`],
    ["docs/operations.md", `Retries continue for ${hours}`],
    ["docs/local-stack.md", `instead of ${hours}`],
    ["local/service/start.ts", `instead of ${hours}`],
  ] as const) {
    expect(readFileSync(file, "utf8").includes(text), `${file} must contain: ${text}`).toBe(true);
  }
});
