import { createHash, randomBytes } from "node:crypto";

/**
 * How often one chain of messages may invoke the same function before Lambda stops it, unless the function's
 * `RecursiveLoop` allows more (Lambda developer guide, "Use Lambda recursive loop detection": some 16 times).
 */
const LONGEST_CHAIN = 16;

/** A function's short name in a trace header. */
function idOf(functionArn: string): string {
  return createHash("sha256").update(functionArn).digest("hex").slice(0, 8);
}

/** How often each function has been invoked by the chain that a trace header belongs to. */
function lineageOf(traceHeader: string): Map<string, number> {
  const [, lineage = ""] = /(?:^|;)Lineage=([^;]*)/.exec(traceHeader) ?? [];
  return new Map(
    lineage.split("|").flatMap((part) => {
      const [id = "", count] = part.split(":");
      return count === undefined ? [] : [[id, Number(count)] as const];
    }),
  );
}

/** Whether Lambda would not let a message with this trace header invoke the function again. */
export function isEndOfChain(functionArn: string, traceHeader = ""): boolean {
  return (lineageOf(traceHeader).get(idOf(functionArn)) ?? 0) >= LONGEST_CHAIN;
}

/** The lineage of an invocation: it counts the invocation in the chains of the messages that led to it. */
export function lineageAfter(functionArn: string, causes: readonly string[]): string {
  const lineage = new Map<string, number>();
  for (const cause of causes) {
    for (const [id, count] of lineageOf(cause)) lineage.set(id, Math.max(count, lineage.get(id) ?? 0));
  }
  const id = idOf(functionArn);
  lineage.set(id, (lineage.get(id) ?? 0) + 1);
  return `Lineage=${[...lineage].map((part) => part.join(":")).join("|")}`;
}

/** The trace header of an invocation, which the SDK sends on with each call. */
export function traceHeaderOf(functionArn: string, causes: readonly string[]): string {
  const seconds = Math.floor(Date.now() / 1000).toString(16);
  const root = `1-${seconds}-${randomBytes(12).toString("hex")}`;
  return `Root=${root};Parent=${randomBytes(8).toString("hex")};Sampled=0;${lineageAfter(functionArn, causes)}`;
}
