import { spawnSync } from "node:child_process";
import { compile, type JSONSchema } from "json-schema-to-typescript-lite";
import { openApiJson } from "../tools/openapi/document.ts";

/** As much of a JSON Schema as is read here. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly $ref?: string;
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** The values known of a response's enumeration, to which later versions may add. */
  readonly "x-extensible-enum"?: readonly string[];
}

interface Description {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const BANNER =
  "// Made from the OpenAPI description by `npm run client`: change the schemas in lib/contract.\n";

const ANY_TEXT = "(string & Record<never, never>)";

/** The source of `client/src/contract-types.ts`: what the OpenAPI description names, as types without a library. */
export async function contractTypes(): Promise<string> {
  const { components } = readDescription();
  // The client has a class for errors: the code of the envelope is what is needed.
  const { ErrorEnvelope: envelope, ...schemas } = components.schemas;
  const types = {
    ...schemas,
    ErrorCode: envelope?.properties?.["error"] ?? {},
  };
  const declarations = Object.entries(types).map(([name, schema]) =>
    compile(inTypes(schema) as JSONSchema, name, {
      // Later versions may add members to responses. A type that allowed any member would allow misspelt ones too.
      additionalProperties: false,
      ignoreMinAndMaxItems: true,
    }),
  );
  return formatted([BANNER, ...(await Promise.all(declarations))].join("\n"));
}

/** In the style of the project's own sources. The name of the file, which does not exist, determines the language. */
function formatted(source: string): string {
  const { status, stdout, stderr } = spawnSync("biome", ["format", "--stdin-file-path=types.ts"], {
    input: source,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The types could not be formatted:\n${stderr}`);
  return stdout;
}

/** The description, where a response's value that a request takes too is closed: it can be written back. */
function readDescription(): Description {
  const json = openApiJson();
  const taken: (readonly string[])[] = [];
  JSON.parse(json, (name, value) => {
    if (name === "enum") taken.push(value);
    return value;
  });
  return JSON.parse(json, (_, value) => {
    const { "x-extensible-enum": known, ...schema } = value ?? {};
    const isTaken = known && taken.some((values) => known.every((one: string) => values.includes(one)));
    return isTaken ? { ...schema, enum: known } : value;
  });
}

/** A schema with what a type can say: names for references, and bounds in words. */
function inTypes(schema: Schema): object {
  const description = [schema.description, boundsOf(schema)].filter(Boolean).join(" ") || undefined;
  const {
    $ref,
    type,
    oneOf,
    anyOf = oneOf,
    properties = {},
    required = [],
    items,
    minItems,
    maxItems,
    ...rest
  } = schema;
  const known = schema["x-extensible-enum"];
  // The intersection keeps the known values apart from any other text, for editors to complete.
  if (known) return { tsType: [...known.map((value) => `"${value}"`), ANY_TEXT].join(" | "), description };
  if ($ref !== undefined) return { tsType: $ref.slice($ref.lastIndexOf("/") + 1), description };
  if (anyOf) return { anyOf: anyOf.map(inTypes), description };
  if (type === "object") {
    // Only the description contains rules between members.
    return {
      type,
      description,
      required,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [
          name,
          required.includes(name) ? inTypes(member) : orUndefined(member),
        ]),
      ),
    };
  }
  if (!items) return { ...rest, type, description };
  const texts = [description, items.description && `Items: ${items.description}`].filter(Boolean);
  return { ...rest, type, description: texts.join("\n\n") || undefined, items: inTypes(items) };
}

/** An optional member may be undefined too, which JSON leaves out: `{ phone: person.phone }` compiles. */
function orUndefined(member: Schema): object {
  const { description, ...schema } = inTypes(member) as Schema;
  const { type, anyOf = [schema] } = schema;
  const alternatives = Array.isArray(type) ? type.map((one) => ({ ...schema, type: one })) : anyOf;
  return { anyOf: [...alternatives, { tsType: "undefined" }], description };
}

function boundsOf({ minLength = 0, maxLength, minimum, maximum, maxItems }: Schema): string | undefined {
  if (maxLength !== undefined) {
    return minLength > 0 ? `${minLength} to ${maxLength} characters.` : `At most ${maxLength} characters.`;
  }
  if (maxItems !== undefined) return `At most ${maxItems} items.`;
  // Whole numbers without a bound of the contract's have the language's.
  if (minimum === undefined) return undefined;
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? `At least ${minimum}.`
    : `From ${minimum} to ${maximum}.`;
}
