import type { IncomingMessage } from "node:http";

/**
 * A request's whole body, or undefined if it has more bytes than allowed; even then it is read to its end, so that the
 * caller can read the response.
 */
export async function bodyOf(message: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes <= mostBytes) chunks.push(chunk);
  }
  return bytes <= mostBytes ? Buffer.concat(chunks) : undefined;
}
