import type { IncomingMessage } from "node:http";

/** The longest accepted body, in bytes. Events and buttons send at most a few thousand. */
const BODY_BYTES = 1024 * 1024;

/** A request's whole body, or undefined if it is too long; even then it is read to its end. */
export async function bodyOf(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes <= BODY_BYTES) chunks.push(chunk);
  }
  return bytes <= BODY_BYTES ? Buffer.concat(chunks).toString("utf8") : undefined;
}
