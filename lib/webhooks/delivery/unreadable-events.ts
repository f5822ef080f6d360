import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { OutboxRecord } from "#candidates/outbox/outbox";
import { messageBodyOf } from "#runtime/message-body";
import { withEventAlone } from "#webhooks/delivery/fired-event";

/** The dead-letter queue of the stream, for events that are unreadable or that SQS refuses. */
export class UnreadableEvents {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  /** Parks a record. `dead-letters redrive` publishes it once that can succeed. */
  async park(record: OutboxRecord): Promise<void> {
    await this.#client.send(
      new SendMessageCommand({
        QueueUrl: this.#queueUrl,
        MessageBody: messageBodyOf(withEventAlone(record)),
      }),
    );
  }
}
