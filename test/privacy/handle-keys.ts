import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type { ParsedInvocation } from "../parsed-invocation.ts";

/** Where the handle keys are kept that the authorizer has handed on, and where what people are shown. */
interface Files {
  readonly handleKeys: string;
  readonly outputs: string;
}

/**
 * Writes to a file each handle key that the authorizer hands on, and to another what integrators and operators are
 * shown: every response of a private function, and those of an operation that hold the caller's handle key.
 */
export function recordHandleKeys({ handleKeys, outputs }: Files): (invocation: ParsedInvocation) => void {
  const seen = new Set<string>();
  for (const file of [handleKeys, outputs]) writeFileSync(file, "");
  return (invocation) => {
    const { responseText } = invocation;
    const event = Object(invocation.event);
    const handedOn: unknown = Object(invocation.response).context?.handleKey;
    if (typeof handedOn === "string") {
      if (!seen.has(handedOn)) appendFileSync(handleKeys, `${handedOn}\n`);
      seen.add(handedOn);
      return;
    }
    // Responses of megabytes are looked through here, one by one.
    const given: unknown = event.requestContext?.authorizer?.handleKey;
    const isPrivate = !("headers" in event || "Records" in event);
    if (isPrivate || (typeof given === "string" && responseText.includes(given)))
      appendFileSync(outputs, `${responseText}\n`);
  };
}

export function readHandleKeys(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").slice(0, -1);
}
