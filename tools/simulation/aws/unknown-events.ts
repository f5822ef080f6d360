import { createHash } from "node:crypto";
import type { StreamRecord } from "../../../local/event-sources/stream-record.ts";

/** The type of an event that the code does not know, before the one that a newer version of the code knows it by. */
export const UNKNOWN = "candidate.unknown";

/** A record with an event of an unknown type. */
export function withUnknownEvent(record: StreamRecord): StreamRecord {
  const { NewImage = {} } = record.dynamodb;
  const { M = {} } = NewImage["event"] as { M?: { readonly type?: { readonly S?: string } } };
  const event = { M: { ...M, type: { S: `${UNKNOWN}:${M.type?.S}` } } };
  return { ...record, dynamodb: { ...record.dynamodb, NewImage: { ...NewImage, event } } };
}

/** The messages of a response, as code gets them that knows all events. */
export function asKnown(output: object): object {
  const { Messages = [] } = output as { readonly Messages?: readonly { readonly Body: string }[] };
  return {
    ...output,
    Messages: Messages.map((message) => {
      const Body = message.Body.replaceAll(`${UNKNOWN}:`, "");
      return { ...message, Body, MD5OfBody: createHash("md5").update(Body).digest("hex") };
    }),
  };
}
