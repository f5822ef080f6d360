import * as z from "zod";
import { InvalidAttributeName, InvalidAttributeValue, QueueNameExists } from "./errors.ts";

/**
 * Limits and defaults of the whole-number attributes (Amazon SQS API, CreateQueue, "Attributes"). A request may set the
 * same for one message or one receive, within the same limits.
 */
export const NUMBER_ATTRIBUTES = {
  DelaySeconds: { least: 0, most: 900, initially: 0 },
  MaximumMessageSize: { least: 1024, most: 1_048_576, initially: 1_048_576 },
  MessageRetentionPeriod: { least: 60, most: 1_209_600, initially: 345_600 },
  ReceiveMessageWaitTimeSeconds: { least: 0, most: 20, initially: 0 },
  VisibilityTimeout: { least: 0, most: 43_200, initially: 30 },
} as const;
type NumberName = keyof typeof NUMBER_ATTRIBUTES;

/** The destination of messages that were received too often (Amazon SQS API, CreateQueue, "RedrivePolicy"). */
export const RedrivePolicy = z.object({
  deadLetterTargetArn: z.string(),
  maxReceiveCount: z.coerce.number().int().min(1).max(1000),
});

/** The attributes of a queue that its owner may set. */
export const QueueAttributes = z.object({
  DelaySeconds: z.number(),
  MaximumMessageSize: z.number(),
  MessageRetentionPeriod: z.number(),
  ReceiveMessageWaitTimeSeconds: z.number(),
  VisibilityTimeout: z.number(),
  RedrivePolicy: RedrivePolicy.optional(),
});
export type QueueAttributes = z.infer<typeof QueueAttributes>;

export const DEFAULT_ATTRIBUTES: QueueAttributes = {
  DelaySeconds: NUMBER_ATTRIBUTES.DelaySeconds.initially,
  MaximumMessageSize: NUMBER_ATTRIBUTES.MaximumMessageSize.initially,
  MessageRetentionPeriod: NUMBER_ATTRIBUTES.MessageRetentionPeriod.initially,
  ReceiveMessageWaitTimeSeconds: NUMBER_ATTRIBUTES.ReceiveMessageWaitTimeSeconds.initially,
  VisibilityTimeout: NUMBER_ATTRIBUTES.VisibilityTimeout.initially,
};

/**
 * The attributes in a request. An empty RedrivePolicy removes the policy.
 *
 * @throws InvalidAttributeName InvalidAttributeValue
 */
export function parseAttributes(given: Readonly<Record<string, string>>): Partial<QueueAttributes> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (name === "RedrivePolicy") return [name, value === "" ? undefined : parsePolicy(value)];
      if (!isNumberName(name)) throw new InvalidAttributeName(name);
      return [name, parseNumber(name, value)];
    }),
  );
}

/** The attributes as returned by GetQueueAttributes. */
export function attributeTexts({
  RedrivePolicy: policy,
  ...numbers
}: QueueAttributes): Readonly<Record<string, string>> {
  const texts = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));
  return { ...texts, ...(policy && { RedrivePolicy: JSON.stringify(policy) }) };
}

/**
 * Checks CreateQueue for an existing queue: the attributes in the request must equal those of the queue.
 *
 * @throws QueueNameExists
 */
export function requireSame(existing: QueueAttributes, given: Partial<QueueAttributes>): void {
  const [before, after] = [attributeTexts(existing), attributeTexts({ ...existing, ...given })];
  for (const name of Object.keys(given)) {
    if (before[name] !== after[name]) throw new QueueNameExists(name);
  }
}

function isNumberName(name: string): name is NumberName {
  return Object.hasOwn(NUMBER_ATTRIBUTES, name);
}

function parseNumber(name: NumberName, text: string): number {
  const { least, most } = NUMBER_ATTRIBUTES[name];
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new InvalidAttributeValue(name, `It must be a whole number from ${least} to ${most}.`);
}

function parsePolicy(text: string) {
  try {
    return RedrivePolicy.parse(JSON.parse(text));
  } catch {
    throw new InvalidAttributeValue(
      "RedrivePolicy",
      "It must be JSON with deadLetterTargetArn and a maxReceiveCount from 1 to 1000.",
    );
  }
}
