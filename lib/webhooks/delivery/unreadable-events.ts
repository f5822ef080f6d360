import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { type OutboxRecord, withoutOtherAttributes } from "#candidates/outbox/outbox";
import { messageBodyOf } from "#runtime/message-body";

/** The dead-letter queue of the stream, where events wait that could not be read, or that SQS refuses to carry. */
export class UnreadableEvents {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  /** Puts a record aside, to be published again by `dead-letters redrive` once that can succeed. */
  async park(record: OutboxRecord): Promise<void> {
    await this.#client.send(
      new SendMessageCommand({
        QueueUrl: this.#queueUrl,
        MessageBody: messageBodyOf(withoutOtherAttributes(record)),
      }),
    );
  }
}
