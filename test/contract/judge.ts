import type * as z from "zod/mini";
import { describeProblems } from "#contract/problems";
import type { JsonObject } from "./json.ts";

/** What a schema makes of a body that arrives as JSON: its value, or the error envelope's message. */
export type Verdict = { readonly value: JsonObject } | { readonly message: string };

export function judge(schema: z.ZodMiniType, body: unknown): Verdict {
  return judgeText(schema, JSON.stringify(body));
}

export function judgeText(schema: z.ZodMiniType, text: string): Verdict {
  const body: unknown = JSON.parse(text);
  const parsed = schema.safeParse(body);
  return parsed.success
    ? { value: parsed.data as JsonObject }
    : { message: describeProblems(parsed.error.issues, body, "body") };
}

/** The problems of a refusal, one by one; none of an acceptance. */
export function problemsOf(verdict: Verdict): string[] {
  return "message" in verdict ? verdict.message.split("; ") : [];
}

/** The value at a path such as `documents[0].versions[0].url`. */
export function valueAt(body: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter((part) => part !== "")
    .reduce<unknown>((value, part) => (value as JsonObject | undefined)?.[part], body);
}
