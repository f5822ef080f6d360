import * as v from "valibot";
import type * as z from "zod/mini";

type JsonSchema = z.core.JSONSchema.BaseSchema;
type Schema = v.GenericSchema;

/** A JSON Schema, as Zod writes one of the contract's, in Valibot's words. */
export function valibotSchema(schema: JsonSchema): Schema {
  if (schema.anyOf) return v.union(schema.anyOf.map((option) => valibotSchema(option as JsonSchema)));
  if (Array.isArray(schema.type)) {
    return v.union(
      schema.type.map((type: JsonSchema["type"]) => valibotSchema({ ...schema, type } as JsonSchema)),
    );
  }
  if (schema.const !== undefined) return v.literal(schema.const as string | boolean);
  if (schema.enum) return v.picklist(schema.enum as string[]);
  switch (schema.type) {
    case "object": {
      const required = new Set(schema.required);
      return v.strictObject(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, member]) => {
            const built = valibotSchema(member as JsonSchema);
            const fallback = (member as JsonSchema).default;
            if (fallback !== undefined) return [name, v.optional(built, fallback as string)];
            return [name, required.has(name) ? built : v.optional(built)];
          }),
        ),
      );
    }
    case "array":
      return v.pipe(
        v.array(valibotSchema(schema.items as JsonSchema)),
        v.maxLength(schema.maxItems ?? Number.POSITIVE_INFINITY),
        v.minLength(schema.minItems ?? 0),
      );
    case "string":
      return text(schema);
    case "integer":
      return v.pipe(number(schema), v.integer());
    case "number":
      return number(schema);
    case "boolean":
      return v.boolean();
    case "null":
      return v.null();
    default:
      throw new Error(`Nothing of Valibot's stands for ${JSON.stringify(schema)}.`);
  }
}

function text({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, format, pattern }: JsonSchema): Schema {
  const bounded = v.pipe(v.string(), v.minLength(minLength), v.maxLength(maxLength));
  switch (format) {
    case "date":
      return v.pipe(bounded, v.isoDate());
    case "date-time":
      return v.pipe(bounded, v.isoTimestamp());
    case "email":
      return v.pipe(bounded, v.email());
    case "uri":
      return v.pipe(bounded, v.url());
    default:
      return pattern ? v.pipe(bounded, v.regex(new RegExp(pattern))) : bounded;
  }
}

function number({ minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: JsonSchema) {
  return v.pipe(v.number(), v.minValue(minimum), v.maxValue(maximum));
}
