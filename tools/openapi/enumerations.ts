import type { createDocument, oas31 } from "zod-openapi";
import { EmploymentType } from "#contract/candidate-objects";
import { EVENT_TYPES } from "#contract/events";

/** Values that more than one member or parameter of requests takes. */
const enumerations: Readonly<Record<string, oas31.SchemaObject>> = {
  EmploymentType: { type: "string", enum: [...EmploymentType.options], description: "A type of employment." },
  EventType: { type: "string", enum: [...EVENT_TYPES], description: "The type of an event." },
};

/** Refers to each such enumeration by a name, so that generated clients have one type of it instead of several. */
export function nameEnumerations(document: ReturnType<typeof createDocument>): void {
  const names = new Map(
    Object.entries(enumerations).map(([name, { enum: values }]) => [String(values), name]),
  );
  refer(document, names);
  Object.assign(document.components?.schemas ?? {}, enumerations);
}

function refer(part: object, names: ReadonlyMap<string, string>): void {
  for (const inner of Object.values(part)) {
    if (typeof inner !== "object" || inner === null) continue;
    const name = "enum" in inner && names.get(String(inner.enum));
    if (name) {
      delete inner.type;
      delete inner.enum;
      inner.$ref = `#/components/schemas/${name}`;
    } else {
      refer(inner, names);
    }
  }
}
