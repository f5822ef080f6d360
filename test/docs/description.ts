import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { oas31 } from "zod-openapi";
import { isUri } from "#contract/uri";

/** The description as it is published. */
export const description = JSON.parse(readFileSync("docs/openapi.json", "utf8")) as oas31.OpenAPIObject;

type Schema = oas31.SchemaObject | oas31.ReferenceObject;

/** What a description's reference stands for, or the thing itself. */
export function resolve<Thing extends object>(thing: Thing | oas31.ReferenceObject): Thing {
  if (!("$ref" in thing) || typeof thing.$ref !== "string") return thing as Thing;
  const path = thing.$ref.replace("#/", "").split("/");
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], description) as Thing;
}

const components = JSON.stringify(description.components?.schemas).replaceAll(
  "#/components/schemas/",
  "#/$defs/",
);

/**
 * As published; or closed: responses are open to members and values to come, and those that came must be
 * described.
 */
const root = { $id: "published", $defs: JSON.parse(components) };
const closed = {
  $id: "closed",
  $defs: JSON.parse(components, (_, value) => {
    if (value?.type === "object" && !value.oneOf) return { additionalProperties: false, ...value };
    const { "x-extensible-enum": known, ...schema } = value ?? {};
    return known ? { ...schema, enum: known } : value;
  }),
};

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, schemas: [root, closed] });
addFormats.default(ajv);
// Which schema a value has by one of its members: what `oneOf` says already.
ajv.addVocabulary(["discriminator", "x-extensible-enum", "x-extension"]);
// ajv-formats also takes a space for the T, and offsets without a colon: RFC 3339 does not.
const { validate: isNearlyDateTime } = addFormats.default.get("date-time") as {
  validate: (text: string) => boolean;
};
ajv.addFormat("date-time", (text) => isNearlyDateTime(text) && /^.{10}T.*(?:Z|[+-]\d\d:\d\d)$/i.test(text));

// ajv-formats refuses `about:` and takes two @ in an authority: RFC 3986 does not.
ajv.addFormat("uri", isUri);

const compiled = new Map<string, ValidateFunction>();

/** Why a value is not what a schema of the description says; undefined when it is. */
export function violation(schema: Schema, value: unknown, form: "published" | "closed"): string | undefined {
  const key = form + JSON.stringify(schema);
  const validate =
    compiled.get(key) ??
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", `${form}#/$defs/`)));
  compiled.set(key, validate);
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

const METHODS = ["get", "put", "post", "delete", "patch"] as const;

export interface DescribedOperation {
  /** As in `POST /v1/candidates`. */
  readonly route: string;
  readonly operation: oas31.OperationObject;
  readonly parameters: readonly oas31.ParameterObject[];
}

function operationsIn(items: oas31.PathsObject | undefined): DescribedOperation[] {
  return Object.entries(items ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
      return [{ route: `${method.toUpperCase()} ${path}`, operation, parameters }];
    }),
  );
}

/** Every operation that is described. */
export const operations = operationsIn(description.paths);

/** Every delivery that is described, as operations of the receiver. */
export const deliveries = operationsIn(description.webhooks);

/** The schema of a body of JSON. */
export function jsonSchemaOf(
  body: oas31.ResponseObject | oas31.RequestBodyObject | undefined,
): Schema | undefined {
  return body?.content?.["application/json"]?.schema;
}
