import type { oas31 } from "zod-openapi";

/** What a schema requires of values that satisfy another. The types of OpenAPI lack these keywords of JSON Schema. */
export interface Condition {
  readonly if: oas31.SchemaObject;
  readonly then: oas31.SchemaObject;
  readonly else?: oas31.SchemaObject;
}

/**
 * A rule that types cannot express, as a condition. Validators apply it, and generators of clients ignore it. They take
 * `oneOf`, `allOf` or `not` beside the members of an object, or beside a string, for types of their own: a union
 * without a name, an intersection with `unknown`, or `any`; openapi-generator requires the members of all alternatives.
 */
export function condition(
  premise: oas31.SchemaObject,
  consequence: oas31.SchemaObject,
  otherwise?: oas31.SchemaObject,
): Condition {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in an object that nothing awaits.
  return { if: premise, then: consequence, ...(otherwise && { else: otherwise }) };
}
