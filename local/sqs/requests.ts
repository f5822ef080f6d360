import * as z from "zod";
import { InvalidParameterValue, MissingParameter, UnsupportedOperation } from "./errors.ts";
import { MessageAttributes } from "./message-attributes.ts";
import { NUMBER_ATTRIBUTES } from "./queue-attributes.ts";

// The requests of the Amazon SQS API, with the limits that its reference states for each parameter.

/** The most messages of one receive (Amazon SQS API, ReceiveMessage). */
export const MOST_RECEIVED = 10;

function wholeNumber({ least, most }: { readonly least: number; readonly most: number }) {
  return z
    .number()
    .refine(
      (value) => Number.isInteger(value) && value >= least && value <= most,
      `It must be a whole number from ${least} to ${most}.`,
    );
}

const Names = z.array(z.string()).default([]);

/** The parameters of a message in SendMessage and in the entries of SendMessageBatch. */
const MessageParameters = {
  MessageBody: z.string(),
  DelaySeconds: wholeNumber(NUMBER_ATTRIBUTES.DelaySeconds).optional(),
  MessageAttributes: MessageAttributes.default({}),
  MessageSystemAttributes: z
    .strictObject({
      AWSTraceHeader: z.strictObject({ DataType: z.literal("String"), StringValue: z.string() }).optional(),
    })
    .default({}),
  MessageGroupId: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/, "It must have 1 to 128 letters, digits and punctuation marks of ASCII.")
    .optional(),
};

export const CreateQueueRequest = z.strictObject({
  QueueName: z.string(),
  Attributes: z.record(z.string(), z.string()).default({}),
});
export const GetQueueUrlRequest = z.strictObject({ QueueName: z.string() });
export const ListQueuesRequest = z.strictObject({ QueueNamePrefix: z.string().default("") });
export const SetQueueAttributesRequest = z.strictObject({
  QueueUrl: z.string(),
  Attributes: z.record(z.string(), z.string()),
});
export const GetQueueAttributesRequest = z.strictObject({ QueueUrl: z.string(), AttributeNames: Names });
export const SendMessageRequest = z.strictObject({ QueueUrl: z.string(), ...MessageParameters });
export const SendMessageEntry = z.strictObject({ Id: z.string(), ...MessageParameters });
export const ReceiveMessageRequest = z.strictObject({
  QueueUrl: z.string(),
  MaxNumberOfMessages: wholeNumber({ least: 1, most: MOST_RECEIVED }).default(1),
  VisibilityTimeout: wholeNumber(NUMBER_ATTRIBUTES.VisibilityTimeout).optional(),
  WaitTimeSeconds: wholeNumber(NUMBER_ATTRIBUTES.ReceiveMessageWaitTimeSeconds).optional(),
  MessageAttributeNames: Names,
  MessageSystemAttributeNames: Names,
  /** The former name of MessageSystemAttributeNames. */
  AttributeNames: Names,
});
export const DeleteMessageRequest = z.strictObject({ QueueUrl: z.string(), ReceiptHandle: z.string() });
export const DeleteMessageEntry = z.strictObject({ Id: z.string(), ReceiptHandle: z.string() });
export const ChangeMessageVisibilityRequest = z.strictObject({
  QueueUrl: z.string(),
  ReceiptHandle: z.string(),
  VisibilityTimeout: wholeNumber(NUMBER_ATTRIBUTES.VisibilityTimeout),
});
/** A batch. Its entries are parsed one by one, so that an invalid one does not affect the others. */
export const BatchRequest = z.strictObject({
  QueueUrl: z.string(),
  Entries: z.array(z.looseObject({ Id: z.string() })).default([]),
});

/**
 * Parses a request.
 *
 * @throws MissingParameter InvalidParameterValue UnsupportedOperation for a parameter that is not supported here
 */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.join(".") || "Request";
  if (issue?.code === "unrecognized_keys") {
    throw new UnsupportedOperation(`the parameter ${[...issue.path, ...issue.keys].join(".")}`);
  }
  if (issue?.code === "invalid_type" && issue.input === undefined) throw new MissingParameter(name);
  throw new InvalidParameterValue(name, issue?.message ?? "It is invalid.");
}
