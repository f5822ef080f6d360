import { createHash } from "node:crypto";
import * as z from "zod";
import { hasOnlyAllowedCharacters } from "./characters.ts";

/** Amazon SQS message quotas, "Message attributes". */
const MOST_ATTRIBUTES = 10;

// Amazon SQS developer guide, "Message attribute components".
const NAME = /^(?!aws\.|amazon\.|\.)(?!.*\.\.)[\w.-]{0,255}[\w-]$/i;
const DATA_TYPE = /^(?:String|Number|Binary)(?:\..+)?$/;

const MessageAttribute = z
  .strictObject({
    DataType: z.string().max(256).regex(DATA_TYPE, "The type must be String, Number or Binary."),
    StringValue: z.string().min(1).refine(hasOnlyAllowedCharacters, "SQS refuses a character.").optional(),
    /** Base 64, as in AWS JSON. */
    BinaryValue: z.base64().min(1).optional(),
  })
  .refine(
    ({ DataType, StringValue, BinaryValue }) =>
      DataType.startsWith("Binary")
        ? BinaryValue !== undefined && StringValue === undefined
        : StringValue !== undefined && BinaryValue === undefined,
    "The attribute must have exactly the value for its type.",
  )
  .refine(
    ({ DataType, StringValue }) => !DataType.startsWith("Number") || Number.isFinite(Number(StringValue)),
    "The value is not a number.",
  );

/** The attributes of a message by name. */
export const MessageAttributes = z
  .record(z.string().regex(NAME, "SQS refuses the name of an attribute."), MessageAttribute)
  .refine(
    (attributes) => Object.keys(attributes).length <= MOST_ATTRIBUTES,
    `A message has at most ${MOST_ATTRIBUTES} attributes.`,
  );
export type MessageAttributes = z.infer<typeof MessageAttributes>;

/** The size of attributes that counts towards their message, in bytes: names, types and values. */
export function sizeOfAttributes(attributes: MessageAttributes): number {
  return Object.entries(attributes).reduce(
    (bytes, [name, attribute]) =>
      bytes + Buffer.byteLength(name) + Buffer.byteLength(attribute.DataType) + bytesOf(attribute).length,
    0,
  );
}

/**
 * The MD5 digest of attributes (Amazon SQS developer guide, "Calculating the MD5 message digest for message
 * attributes"), or undefined if there are none.
 */
export function digestOfAttributes(attributes: MessageAttributes): string | undefined {
  const sorted = Object.entries(attributes).sort(([left], [right]) => (left < right ? -1 : 1));
  if (sorted.length === 0) return undefined;
  const hash = createHash("md5");
  for (const [name, attribute] of sorted) {
    hash.update(withLength(Buffer.from(name)));
    hash.update(withLength(Buffer.from(attribute.DataType)));
    hash.update(Buffer.of(attribute.BinaryValue === undefined ? 1 : 2));
    hash.update(withLength(bytesOf(attribute)));
  }
  return hash.digest("hex");
}

/**
 * The attributes requested by a receive: by name, by a name prefix followed by `.*`, or all with `All` or `.*`
 * (Amazon SQS API, ReceiveMessage, "MessageAttributeNames").
 */
export function chosenAttributes(attributes: MessageAttributes, names: readonly string[]): MessageAttributes {
  const isAskedFor = (attribute: string) =>
    names.some((name) =>
      name === "All" || name === ".*"
        ? true
        : name.endsWith(".*")
          ? attribute.startsWith(name.slice(0, -2))
          : attribute === name,
    );
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => isAskedFor(name)));
}

function bytesOf({ StringValue, BinaryValue }: MessageAttributes[string]): Buffer {
  return BinaryValue === undefined ? Buffer.from(StringValue ?? "") : Buffer.from(BinaryValue, "base64");
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
