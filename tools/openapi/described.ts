import type * as z from "zod/mini";
import { createSchema, type oas31, type ZodOpenApiOverride } from "zod-openapi";

/** What is told of a member, with the constraints that its Zod schema leaves unsaid. */
interface Explanation {
  readonly description: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: string[];
}

export type Text = string | Explanation;

/** A text for every member of a schema: one that is forgotten does not compile. */
export type TextsOf<Schema extends z.ZodMiniObject> = {
  readonly [Member in keyof Schema["shape"]]: Text;
};

/** What is told of a query parameter; with a schema where it is text that stands for something else, a number for instance. */
export type QueryText = string | { readonly description: string; readonly schema: oas31.SchemaObject };

/** A text for every parameter of a query. */
export type QueryTexts<Query extends z.ZodMiniObject> = {
  readonly [Name in keyof Query["shape"]]: QueryText;
};

/** A schema of the contract with the words that explain it. */
export interface Described {
  readonly schema: z.ZodMiniObject;
  readonly description: string;
  readonly members: Readonly<Record<string, Text>>;
  /** A rule between members: Zod checks it in code, which leaves no trace in what is generated. */
  readonly rule?: oas31.SchemaObject;
}

export function described<Schema extends z.ZodMiniObject>(
  schema: Schema,
  description: string,
  members: NoInfer<TextsOf<Schema>>,
  rule?: oas31.SchemaObject,
): Described {
  return { schema, description, members, ...(rule && { rule }) };
}

/** A moment that the service tells. */
export function moment(description: string) {
  return { description, format: "date-time", examples: ["2026-11-21T09:00:00.000Z"] };
}

/** Puts the words of a schema into the JSON Schema that was generated from it. */
export function explain(generated: oas31.SchemaObject, { description, members, rule }: Described): void {
  Object.assign(generated, { description }, rule);
  for (const [name, member] of Object.entries(generated.properties ?? {})) {
    const text = members[name];
    Object.assign(member, typeof text === "string" ? { description: text } : text);
  }
}

/** Each member of a query's schema as a parameter. */
export function queryParameters(
  query: z.ZodMiniObject,
  texts: Readonly<Record<string, QueryText>>,
): oas31.ParameterObject[] {
  const { schema } = createSchema(query, { io: "input", opts: { override: inJsonSchemasWords } });
  const { properties = {}, required = [] } = schema as oas31.SchemaObject;
  return Object.entries(properties).map(([name, generated]) => {
    const text = texts[name] ?? "";
    const { description, schema } =
      typeof text === "string" ? { description: text, schema: generated } : text;
    return { name, in: "query", required: required.includes(name), description, schema };
  });
}

type Override = Parameters<ZodOpenApiOverride>[0];

/**
 * Says in JSON Schema's own words what Zod says in a roundabout way, and leaves responses open to members
 * that a later version may add (contract, "Versioning" 3).
 */
export function inJsonSchemasWords({ jsonSchema, zodSchema, io }: Override): void {
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
  if (jsonSchema.multipleOf === 1) {
    delete jsonSchema.multipleOf;
    jsonSchema.type = "integer";
  }
  // The format says it all: a day that the calendar has.
  if (jsonSchema.format === "date") delete jsonSchema.pattern;
  const { def } = zodSchema._zod;
  // A pattern beside a format takes the format's place in what is generated.
  if (def.type === "string" && "format" in def && jsonSchema.format === undefined) {
    jsonSchema.format = String(def.format);
  }
  if (def.type === "object" && !def.catchall && io === "output") delete jsonSchema.additionalProperties;
  if (def.type === "nullable") nullInTheType(jsonSchema);
  // Zod leaves the default out where a transformation comes before the value, as in a `nestedList`.
  if (def.type === "default") jsonSchema.default = def.defaultValue;
}

/** `anyOf` a type and null becomes one schema of two types: its other keywords do not look at null. */
function nullInTheType(jsonSchema: Override["jsonSchema"]): void {
  const [value, absent] = jsonSchema.anyOf ?? [];
  if (typeof value?.type !== "string" || value.enum || absent?.type !== "null") return;
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, value, { type: [value.type, "null"] });
}
