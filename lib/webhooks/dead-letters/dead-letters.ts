import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";

/** The most messages of one receive (Amazon SQS message quotas). */
const BATCH = 10;
/** How long a dead letter that is being handled is out of others' sight, in seconds. */
const HANDLING_SECONDS = 60;
/** The same for one that is only looked at: a redrive at the same time must not miss it for long. */
const PEEKING_SECONDS = 5;

/** A queue of messages that wait for a person. */
export class DeadLetters {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  /** The bodies of up to `limit` dead letters, left where they are. */
  async peek(limit: number): Promise<string[]> {
    const messages = await Array.fromAsync(this.#receive(limit, PEEKING_SECONDS));
    await Promise.all(messages.map((message) => this.#release(message)));
    return messages.map(({ Body = "" }) => Body);
  }

  /**
   * Hands up to `limit` dead letters to `handle`, and deletes each that it settles. The others stay.
   *
   * @param handle gives true when the letter is settled
   */
  async redrive(
    limit: number,
    handle: (body: string) => Promise<boolean>,
  ): Promise<{ readonly redriven: number; readonly left: number }> {
    const unsettled: Message[] = [];
    let redriven = 0;
    for await (const message of this.#receive(limit, HANDLING_SECONDS)) {
      if (await handle(message.Body ?? "")) {
        await this.#client.send(
          new DeleteMessageCommand({ QueueUrl: this.#queueUrl, ReceiptHandle: message.ReceiptHandle }),
        );
        redriven += 1;
      } else {
        unsettled.push(message);
      }
    }
    await Promise.all(unsettled.map((message) => this.#release(message)));
    return { redriven, left: unsettled.length };
  }

  async *#receive(limit: number, visibilityTimeout: number): AsyncGenerator<Message> {
    for (let received = 0; received < limit; ) {
      const { Messages = [] } = await this.#client.send(
        new ReceiveMessageCommand({
          QueueUrl: this.#queueUrl,
          MaxNumberOfMessages: Math.min(BATCH, limit - received),
          VisibilityTimeout: visibilityTimeout,
          // A long poll asks every server of the queue: a short one may miss what is there.
          WaitTimeSeconds: 1,
        }),
      );
      if (Messages.length === 0) return;
      received += Messages.length;
      yield* Messages;
    }
  }

  async #release({ ReceiptHandle }: Message): Promise<void> {
    await this.#client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: this.#queueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
    );
  }
}
