import type { Invocation } from "../local/lambda/local-function.ts";

/** An invocation of a function that has ended, with its JSON parsed: once for all that record something of it. */
export interface ParsedInvocation {
  readonly event: unknown;
  readonly response: unknown;
  /** The response as the function wrote it. */
  readonly responseText: string;
}

export function parseInvocation({ payload, result }: Invocation): ParsedInvocation {
  return { event: JSON.parse(payload), response: JSON.parse(result), responseText: result };
}
