import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod/mini";

/** A message of the recovery queue: the recovery to start or resume. */
const RecoveryMessage = z.object({ orgId: z.string(), endpointId: z.string(), recoveryId: z.string() });
export type RecoveryMessage = z.infer<typeof RecoveryMessage>;

/** The queue of the recoveries that are running. */
export class RecoveryQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  /** Sends the message that starts a recovery. */
  async send(message: RecoveryMessage): Promise<void> {
    await this.#client.send(
      new SendMessageCommand({
        QueueUrl: this.#queueUrl,
        MessageBody: JSON.stringify(message),
        // Fair queues: other organisations' recoveries precede those of one with many.
        MessageGroupId: message.orgId,
      }),
    );
  }
}

/** The content of a message, or undefined if it cannot be read. */
export function readRecoveryMessage(body: string): RecoveryMessage | undefined {
  try {
    return RecoveryMessage.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}
