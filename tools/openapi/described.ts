import type * as z from "zod/mini";
import { createSchema, type oas31, type ZodOpenApiOverride } from "zod-openapi";
import { type Condition, condition } from "./condition.ts";

/** The description of a member, with constraints that its Zod schema does not express. */
interface Explanation {
  readonly description: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: string[];
  /** What a list holds, if its items are validated one by one. */
  readonly items?: oas31.ReferenceObject;
  /** The member goes beyond the contract. */
  readonly "x-extension"?: true;
}

export type Text = string | Explanation;

/** A text for every member of a schema. A missing one does not compile. */
export type TextsOf<Schema extends z.ZodMiniObject> = {
  readonly [Member in keyof Schema["shape"]]: Text;
};

/**
 * The description of a query parameter, with a schema if its text represents another type, such as a number, or with an
 * example, or marked as an extension of the contract. The reference's request form sends a parameter that has an
 * example, even an optional one.
 */
export type QueryText =
  | string
  | { readonly description: string; readonly schema: oas31.SchemaObject }
  | { readonly description: string; readonly example: string }
  | { readonly description: string; readonly "x-extension": true };

/** A text for every parameter of a query. */
export type QueryTexts<Query extends z.ZodMiniObject> = {
  readonly [Name in keyof Query["shape"]]: QueryText;
};

/** A schema of the contract with its description. */
export interface Described {
  readonly schema: z.ZodMiniObject;
  readonly description: string;
  readonly members: Readonly<Record<string, Text>>;
  /** A rule between members. Zod checks it in code, so it does not appear in the generated schema. */
  readonly rule?: Condition;
}

export function described<Schema extends z.ZodMiniObject>(
  schema: Schema,
  description: string,
  members: NoInfer<TextsOf<Schema>>,
  rule?: Condition,
): Described {
  return { schema, description, members, ...(rule && { rule }) };
}

/** A time in a response. */
export function moment(description: string) {
  return { description, format: "date-time", examples: ["2026-11-21T09:00:00.000Z"] };
}

/** Adds the descriptions to the generated JSON Schema. */
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
    const parameter = { name, in: "query", required: required.includes(name) } as const;
    if (typeof text === "string") return { ...parameter, description: text, schema: generated };
    const { description, ...rest } = text;
    if ("example" in rest) {
      return { ...parameter, description, schema: { ...generated, examples: [rest.example] } };
    }
    return { ...parameter, description, schema: generated, ...rest };
  });
}

type Override = Parameters<ZodOpenApiOverride>[0];

/**
 * Simplifies Zod's output to idiomatic JSON Schema, and leaves responses open to members
 * that a later version may add (contract, "Versioning" 3).
 */
export function inJsonSchemasWords({ jsonSchema, zodSchema, io }: Override): void {
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
  if (jsonSchema.multipleOf === 1) {
    delete jsonSchema.multipleOf;
    jsonSchema.type = "integer";
  }
  // The format is sufficient: a valid calendar date.
  if (jsonSchema.format === "date") delete jsonSchema.pattern;
  const { def } = zodSchema._zod;
  // If there is also a pattern, the generated schema lacks the format.
  if (def.type === "string" && "format" in def && jsonSchema.format === undefined) {
    jsonSchema.format = String(def.format);
  }
  if (def.type === "object" && !def.catchall && io === "output") delete jsonSchema.additionalProperties;
  if (def.type === "nullable") nullInTheType(jsonSchema);
  // Its options say it, and generators of types would take it for an object without members.
  if (def.type === "union") delete jsonSchema.type;
  // Zod omits the default if the value is transformed first, as in a `nestedList`. A response has none.
  if (def.type === "default") {
    if (io === "input") jsonSchema.default = def.defaultValue;
    else delete jsonSchema.default;
  }
  if (Number.isInteger(jsonSchema.const)) jsonSchema.type = "integer";
  if (def.type === "number" && jsonSchema.type === "number") jsonSchema.format = "double";
  simplifyPatterns(jsonSchema);
}

/** Moves a second pattern out of `allOf`. */
function simplifyPatterns(jsonSchema: Override["jsonSchema"]): void {
  const [first, second, ...others] = jsonSchema.allOf ?? [];
  if (jsonSchema.type === "string" && first?.pattern && second?.pattern && others.length === 0) {
    delete jsonSchema.allOf;
    const { pattern } = second;
    Object.assign(jsonSchema, { pattern: first.pattern }, condition({ type: "string" }, { pattern }));
  }
  // The source of a regular expression escapes slashes, and openapi-zod-client escapes them again.
  if (jsonSchema.pattern) jsonSchema.pattern = jsonSchema.pattern.replaceAll("\\/", "/");
}

/** Merges `anyOf` a type and null into one schema of two types. Its other keywords do not apply to null. */
function nullInTheType(jsonSchema: Override["jsonSchema"]): void {
  const [value, absent] = jsonSchema.anyOf ?? [];
  if (typeof value?.type !== "string" || value.enum || absent?.type !== "null") return;
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, value, { type: [value.type, "null"] });
}
