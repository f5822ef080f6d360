import * as z from "zod/mini";
import type { oas31 } from "zod-openapi";
import { BatchResult } from "#contract/candidate-batch";
import { EVENT_TYPES, FeedEvent } from "#contract/events";
import { eventSchemaOf } from "./events.ts";

interface Union {
  readonly schema: z.ZodMiniType;
  readonly keyword: "anyOf" | "oneOf";
  readonly description: string;
}

const [first, ...others] = EVENT_TYPES;

/** What is one of several objects, by name: generators name a union without one after its place. */
export const unions = {
  BatchResult: {
    schema: BatchResult,
    // NSwag's client for C# does not compile with a `oneOf` that has no discriminator.
    keyword: "anyOf",
    description: "The result of one candidate of a batch.",
  },
  FeedEvent: {
    schema: FeedEvent,
    // The open `type` of a `CandidateFeedEvent` accepts a rejection too.
    keyword: "anyOf",
    description:
      "An event of the event feed: the body of its webhook deliveries, except that `externalId` and `reasons` are null " +
      "once the candidate is erased.",
  },
  WebhookEvent: {
    schema: z.discriminatedUnion("type", [eventSchemaOf(first), ...others.map(eventSchemaOf)]),
    keyword: "oneOf",
    description: "The body of a delivery of any event type: what a receiver at one URL reads.",
  },
} as const satisfies Readonly<Record<string, Union>>;

for (const [id, { schema }] of Object.entries<Union>(unions)) z.globalRegistry.add(schema, { id });

/** Adds the descriptions, and lists the alternatives under the keyword that says how many of them may apply. */
export function explainUnions(components: Record<string, oas31.SchemaObject>): void {
  for (const [name, { keyword, description }] of Object.entries<Union>(unions)) {
    const schema = components[name];
    if (!schema) throw new Error(`The description has no schema ${name}.`);
    const { anyOf = [], oneOf = anyOf } = schema;
    delete schema.anyOf;
    delete schema.oneOf;
    Object.assign(schema, { description, [keyword]: generalLast(oneOf, schema.discriminator?.mapping) });
  }
}

/**
 * An alternative for several values last: generated clients take the first one of an `anyOf` that fits, and
 * openapi-generator for Java and C# fails if an alternative with a fixed value is last (its issue 22177).
 */
function generalLast(
  alternatives: NonNullable<oas31.SchemaObject["oneOf"]>,
  mapping: Readonly<Record<string, string>> = {},
) {
  const references = Object.values(mapping);
  const valuesOf = (alternative: (typeof alternatives)[number]) =>
    references.filter((reference) => "$ref" in alternative && reference === alternative.$ref).length;
  return alternatives.toSorted((one, other) => valuesOf(one) - valuesOf(other));
}
