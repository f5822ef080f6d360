import type * as z from "zod/mini";
import type { oas31, ZodOpenApiExamplesObject } from "zod-openapi";
import type { operations } from "#contract/operations";
import type { QueryText, QueryTexts } from "./described.ts";
import type { NotFoundName, SuccessWords } from "./responses.ts";

export type Row = (typeof operations)[number];

export interface BodyWords {
  readonly description: string;
  readonly examples: ZodOpenApiExamplesObject;
}

/** The description of an operation, apart from its definition. */
export interface OperationWords {
  readonly tag: "Candidates" | "Webhook endpoints" | "Events" | "Sandbox";
  readonly description: string;
  readonly headers?: readonly oas31.ParameterObject[];
  readonly query?: Readonly<Record<string, QueryText>>;
  readonly body?: BodyWords;
  readonly success: SuccessWords;
  readonly notFound?: NotFoundName;
}

/** The description that a definition requires. One that is missing or not needed does not compile. */
type WordsOf<Of extends Row> = Pick<OperationWords, "tag" | "description" | "headers"> &
  (Of extends { readonly query: infer Query extends z.ZodMiniObject }
    ? { readonly query: QueryTexts<Query> }
    : unknown) &
  (Of extends { readonly body: unknown } ? { readonly body: BodyWords } : unknown) & {
    readonly success: Of extends { readonly response: unknown }
      ? SuccessWords & Required<Pick<SuccessWords, "examples">>
      : Omit<SuccessWords, "examples">;
  } & ("not_found" extends Of["errors"][number] ? { readonly notFound: NotFoundName } : unknown);

/** The description of each operation. */
export type WordsById = { readonly [Each in Row as Each["operationId"]]: WordsOf<Each> };
