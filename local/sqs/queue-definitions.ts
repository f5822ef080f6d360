import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  SetQueueAttributesCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import * as z from "zod";
import type { Template } from "../template.ts";
import { attributeTexts, DEFAULT_ATTRIBUTES, RedrivePolicy } from "./queue-attributes.ts";

const QueueProperties = z.object({
  QueueName: z.string().optional(),
  FifoQueue: z
    .literal(false, "The local stack does not support FIFO queues. Use a standard queue.")
    .optional(),
  DelaySeconds: z.coerce.number().optional(),
  MaximumMessageSize: z.coerce.number().optional(),
  MessageRetentionPeriod: z.coerce.number().optional(),
  ReceiveMessageWaitTimeSeconds: z.coerce.number().optional(),
  VisibilityTimeout: z.coerce.number().optional(),
  RedrivePolicy: RedrivePolicy.optional(),
});

/** An SQS queue as defined by the assembly. */
export interface QueueDefinition {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export function readQueues(template: Template): QueueDefinition[] {
  return template.resourcesOf("AWS::SQS::Queue", QueueProperties).map(({ logicalId, ref, properties }) => {
    const { QueueName: _name, FifoQueue: _type, RedrivePolicy: redrive, ...attributes } = properties;
    return {
      name: template.attribute(logicalId, "QueueName"),
      url: ref,
      arn: template.attribute(logicalId, "Arn"),
      attributes: {
        ...Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)])),
        ...(redrive && { RedrivePolicy: JSON.stringify(redrive) }),
      },
    };
  });
}

/** Dead-letter queues before the queues that refer to them. A dead-letter queue may have one itself. */
export function deadLettersFirst(queues: readonly QueueDefinition[]): QueueDefinition[] {
  const policies = new Map(
    queues.map(({ arn, attributes: { RedrivePolicy: policy } }) => [
      arn,
      policy && RedrivePolicy.parse(JSON.parse(policy)),
    ]),
  );
  const referrals = (arn: string): number => {
    const policy = policies.get(arn);
    return policy ? 1 + referrals(policy.deadLetterTargetArn) : 0;
  };
  return queues.toSorted((left, right) => referrals(left.arn) - referrals(right.arn));
}

/** The attributes of a queue whose definition has none. An empty RedrivePolicy removes the policy. */
const UNDEFINED_ATTRIBUTES = { ...attributeTexts(DEFAULT_ATTRIBUTES), RedrivePolicy: "" };

/** Brings the queues to their definitions. As in CloudFormation, an attribute without one gets its default. */
export async function deployQueues(client: SQSClient, queues: readonly QueueDefinition[]): Promise<void> {
  for (const queue of deadLettersFirst(queues)) {
    if (!(await exists(client, queue.name))) {
      await client.send(new CreateQueueCommand({ QueueName: queue.name, Attributes: queue.attributes }));
    } else {
      const Attributes = { ...UNDEFINED_ATTRIBUTES, ...queue.attributes };
      await client.send(new SetQueueAttributesCommand({ QueueUrl: queue.url, Attributes }));
    }
  }
}

async function exists(client: SQSClient, QueueName: string): Promise<boolean> {
  try {
    await client.send(new GetQueueUrlCommand({ QueueName }));
    return true;
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return false;
    throw error;
  }
}
