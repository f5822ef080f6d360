import { createHash, randomBytes } from "node:crypto";

/**
 * The most invocations of the same function by one chain of messages before Lambda stops it, unless the function's
 * `RecursiveLoop` allows more (Lambda developer guide, "Use Lambda recursive loop detection": about 16 times).
 */
export const LONGEST_CHAIN = 16;

const ids = new Map<string, string>();

/** A function's short name in a trace header. */
function idOf(functionArn: string): string {
  const id = ids.get(functionArn) ?? createHash("sha256").update(functionArn).digest("hex").slice(0, 8);
  ids.set(functionArn, id);
  return id;
}

/** The number of invocations of each function in the chain of a trace header. */
function lineageOf(traceHeader: string): Map<string, number> {
  const [, lineage = ""] = /(?:^|;)Lineage=([^;]*)/.exec(traceHeader) ?? [];
  return new Map(
    lineage.split("|").flatMap((part) => {
      const [id = "", count] = part.split(":");
      return count === undefined ? [] : [[id, Number(count)] as const];
    }),
  );
}

/** Whether Lambda would refuse to invoke the function with a message that has this trace header. */
export function isRecursiveLoop(functionArn: string, traceHeader = ""): boolean {
  return (lineageOf(traceHeader).get(idOf(functionArn)) ?? 0) >= LONGEST_CHAIN;
}

/** The lineage of an invocation, which adds the invocation to the chains of its messages. */
export function lineageAfter(functionArn: string, causes: readonly string[]): string {
  const lineage = new Map<string, number>();
  for (const cause of causes) {
    for (const [id, count] of lineageOf(cause)) lineage.set(id, Math.max(count, lineage.get(id) ?? 0));
  }
  const id = idOf(functionArn);
  lineage.set(id, (lineage.get(id) ?? 0) + 1);
  return `Lineage=${[...lineage].map((part) => part.join(":")).join("|")}`;
}

/** The trace header of an invocation. The SDK sends it with each call. */
export function traceHeaderOf(functionArn: string, causes: readonly string[]): string {
  const seconds = Math.floor(Date.now() / 1000).toString(16);
  const root = `1-${seconds}-${randomBytes(12).toString("hex")}`;
  return `Root=${root};Parent=${randomBytes(8).toString("hex")};Sampled=0;${lineageAfter(functionArn, causes)}`;
}
