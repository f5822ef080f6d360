import type { oas31 } from "zod-openapi";
import type { operations } from "#contract/operations";
import { PLATFORM_TRANSITIONS } from "#contract/platform-transition";

/** Parameters that more than one operation takes. */
export const parameters = {
  candidateId: {
    name: "id",
    in: "path",
    required: true,
    description: "The candidate's `stagedId`, or its canonical id after promotion.",
    schema: { type: "string", examples: ["staged_4g9v8z0d3m6n1p5q7r2s4t6w8x"] },
  },
  endpointId: {
    name: "id",
    in: "path",
    required: true,
    description: "The endpoint's id.",
    schema: { type: "string", examples: ["whe_06dcb7s2m0yr4gv0w3q8n5tk00"] },
  },
  eventId: {
    name: "eventId",
    in: "path",
    required: true,
    description: "The event's id.",
    schema: { type: "string", examples: ["evt_06dcb7s2m0yr4gv0w3q8n5tk00"] },
  },
  transition: {
    name: "transition",
    in: "path",
    required: true,
    description: "The transition.",
    schema: { type: "string", enum: [...PLATFORM_TRANSITIONS] },
  },
  recoveryId: {
    name: "recoveryId",
    in: "path",
    required: true,
    description: "The recovery's id.",
    schema: { type: "string", examples: ["rec_06dcb7s2m0yr4gv0w3q8n5tk00"] },
  },
} as const satisfies Readonly<Record<string, oas31.ParameterObject>>;

/** Each prefix of a path that ends in a parameter: `/v1/candidates/{id}` of `/v1/candidates/{id}/erasure`. */
type ParameterEnd<
  Path extends string,
  Before extends string = "",
> = Path extends `${infer Head}{${infer Name}}${infer Rest}`
  ? `${Before}${Head}{${Name}}` | ParameterEnd<Rest, `${Before}${Head}{${Name}}`>
  : never;

/** The parameter at the end of each path prefix. */
const pathParameters: Readonly<
  Record<ParameterEnd<(typeof operations)[number]["path"]>, keyof typeof parameters>
> = {
  "/v1/candidates/{id}": "candidateId",
  "/v1/webhook-endpoints/{id}": "endpointId",
  "/v1/webhook-endpoints/{id}/deliveries/{eventId}": "eventId",
  "/v1/sandbox/candidates/{id}": "candidateId",
  "/v1/sandbox/candidates/{id}/{transition}": "transition",
  "/v1/webhook-endpoints/{id}/recoveries/{recoveryId}": "recoveryId",
};

/** The parameters in a path, for its entry in the description. */
export function parametersOf(path: string) {
  const names = Object.entries(pathParameters).filter(([end]) => path.startsWith(end));
  const references = names.map(([, name]) => ({ $ref: `#/components/parameters/${name}` as const }));
  return references.length > 0 && { parameters: references };
}
