import type * as z from "zod/mini";
import type { ErrorCode } from "#contract/errors";

/** The public definition of an operation (contract, "Endpoints"). */
export interface OperationDefinition {
  /** The name in code, logs and the OpenAPI description. The file in `functions/api/` has it in kebab-case. */
  readonly operationId: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly body?: z.ZodMiniType;
  /** Present if the body may be omitted, which means `{}`. */
  readonly optionalBody?: true;
  readonly query?: z.ZodMiniObject;
  /** The status code of a success. */
  readonly status: 200 | 201 | 202 | 204;
  /** The body of a success; absent if it is empty. */
  readonly response?: z.ZodMiniType;
  /**
   * Error codes besides those that every operation, or every operation with a body, may return
   * (`tools/openapi/responses.ts`).
   */
  readonly errors: readonly ErrorCode[];
  /** Present on operations beyond the contract (docs/decisions/0019). */
  readonly extension?: true;
  /** Present on operations that exist only in environments with a sandbox (`infra/environments.ts`). */
  readonly sandbox?: true;
}

/** The parameter names of a path: `"id" | "eventId"` for `/v1/…/{id}/deliveries/{eventId}/resend`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;
