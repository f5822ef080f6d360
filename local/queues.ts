import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  SetQueueAttributesCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import * as z from "zod";
import type { Template } from "./template.ts";

const RedrivePolicy = z.object({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() });

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

/** Brings the queues to their definitions. Dead-letter queues come before the queues that refer to them. */
export async function deployQueues(client: SQSClient, queues: readonly QueueDefinition[]): Promise<void> {
  const withRedrive = (queue: QueueDefinition) => Number("RedrivePolicy" in queue.attributes);
  for (const queue of [...queues].sort((left, right) => withRedrive(left) - withRedrive(right))) {
    if (!(await exists(client, queue.name))) {
      await client.send(new CreateQueueCommand({ QueueName: queue.name, Attributes: queue.attributes }));
    } else if (Object.keys(queue.attributes).length > 0) {
      await client.send(new SetQueueAttributesCommand({ QueueUrl: queue.url, Attributes: queue.attributes }));
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
