import type { createDocument, oas31 } from "zod-openapi";

type Schemas = Record<string, oas31.SchemaObject>;

/**
 * Opens the enumerations in responses and events: v1 may add values (the guide "Versioning"), and a validator that
 * is generated today must accept them. Those in requests stay closed: the service refuses unknown values.
 */
export function openValues({ components, paths }: ReturnType<typeof createDocument>): void {
  const schemas = (components?.schemas ?? {}) as Schemas;
  const requested = new Set<string>();
  for (const item of Object.values(paths ?? {})) {
    for (const { requestBody } of [item.post, item.put, item.patch].filter((operation) => !!operation)) {
      collectNames(requestBody, schemas, requested);
    }
  }
  for (const [name, schema] of Object.entries(schemas)) if (!requested.has(name)) open(schema);
}

/** The names of the schemas that a part of the description references, directly or indirectly. */
function collectNames(part: unknown, schemas: Schemas, names: Set<string>): void {
  for (const [, name = ""] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (names.has(name)) continue;
    names.add(name);
    collectNames(schemas[name], schemas, names);
  }
}

function open(schema: oas31.SchemaObject): void {
  const known = schema.enum;
  if (known) {
    delete schema.enum;
    schema["x-extensible-enum"] = known;
    const values = known.map((value) => `\`${value}\``).join(", ");
    schema.description = [
      schema.description,
      `Known values: ${values}. A later version of v1 may add others.`,
    ]
      .filter((sentence) => sentence !== undefined)
      .join(" ");
  }
  const { properties = {}, items } = schema;
  for (const part of [...Object.values(properties), items]) {
    if (typeof part === "object" && !("$ref" in part)) open(part as oas31.SchemaObject);
  }
}
