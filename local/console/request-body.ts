import type { IncomingMessage } from "node:http";
import { bodyOf } from "../machine/request-body.ts";

/** The longest accepted body, in bytes. Events and buttons send at most a few thousand. */
const BODY_BYTES = 1024 * 1024;

/** A request's whole body, or undefined if it is too long. */
export async function textOf(message: IncomingMessage): Promise<string | undefined> {
  return (await bodyOf(message, BODY_BYTES))?.toString("utf8");
}
