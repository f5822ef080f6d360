import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { messageBodyOf } from "#webhooks/message-body";
import type { OutboxRecord } from "#webhooks/publish";

/** What an event is made of. Nothing else of a candidate's item may leave the table this way. */
const OUTBOX_ATTRIBUTES = [
  "pk",
  "event",
  "sequence",
  "externalId",
  "status",
  "verificationStatus",
  "availabilityStatus",
  "promotedAt",
] as const;

/** The dead-letter queue of the stream, where events wait that could not be read, or that SQS refuses to carry. */
export class UnreadableEvents {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  /** Puts a record aside, to be published again by `dead-letters redrive` once that can succeed. */
  async park({ sequenceNumber, newImage }: OutboxRecord): Promise<void> {
    const outbox = Object.fromEntries(
      OUTBOX_ATTRIBUTES.flatMap((name) => (newImage[name] ? [[name, newImage[name]]] : [])),
    );
    await this.#client.send(
      new SendMessageCommand({
        QueueUrl: this.#queueUrl,
        MessageBody: messageBodyOf({ sequenceNumber, newImage: outbox } satisfies OutboxRecord),
      }),
    );
  }
}
