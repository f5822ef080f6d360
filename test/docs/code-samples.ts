import type { oas31 } from "zod-openapi";

export const LANGUAGES = ["shell", "typescript", "python", "go"] as const;

/** A sample of an operation, as the description has it. */
interface CodeSample {
  readonly lang: (typeof LANGUAGES)[number];
  readonly label: string;
  readonly source: string;
}

export function codeSamplesOf(operation: oas31.OperationObject): readonly CodeSample[] {
  return (operation as { readonly "x-codeSamples"?: readonly CodeSample[] })["x-codeSamples"] ?? [];
}
