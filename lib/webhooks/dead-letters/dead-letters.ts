import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { logger } from "#runtime/logger";

/** The most messages in one receive (Amazon SQS message quotas). */
const BATCH = 10;
/** The visibility timeout of a dead letter that is being handled, in seconds. */
const HANDLING_SECONDS = 60;
/** The same for one that is only listed, in seconds: short, so that a concurrent redrive does not miss it. */
const PEEKING_SECONDS = 5;

/** A queue of messages that require intervention. */
export class DeadLetters {
  readonly #client: SQSClient;
  readonly #queueUrl: string;

  constructor(client: SQSClient, queueUrl: string) {
    this.#client = client;
    this.#queueUrl = queueUrl;
  }

  /** The bodies of up to `limit` dead letters, which remain in the queue. */
  async peek(limit: number): Promise<string[]> {
    const messages = (await Array.fromAsync(this.#receive(limit, PEEKING_SECONDS))).flat();
    await Promise.all(messages.map((message) => this.#release(message)));
    return messages.map(({ Body = "" }) => Body);
  }

  /**
   * Passes up to `limit` dead letters to `handle`, and deletes those that it settles. The others stay.
   *
   * @param handle returns true if the letter is settled
   * @param isOver whether no further letter is to be handled
   */
  async redrive(
    limit: number,
    handle: (body: string) => Promise<boolean>,
    isOver: () => boolean,
  ): Promise<{ readonly redriven: number; readonly left: number }> {
    const unsettled = new Set<Message>();
    let redriven = 0;
    try {
      for await (const messages of this.#receive(limit, HANDLING_SECONDS, isOver)) {
        for (const message of messages) unsettled.add(message);
        for (const message of messages) {
          if (isOver()) break;
          if (await handle(message.Body ?? "")) {
            await this.#client.send(
              new DeleteMessageCommand({ QueueUrl: this.#queueUrl, ReceiptHandle: message.ReceiptHandle }),
            );
            unsettled.delete(message);
            redriven += 1;
          } else {
            logger.warn("dead letter left", { messageId: message.MessageId });
          }
        }
      }
    } finally {
      // Also after an error: another redrive would not see them, and report that none is left.
      await Promise.all([...unsettled].map((message) => this.#release(message)));
    }
    return { redriven, left: unsettled.size };
  }

  async *#receive(limit: number, visibilityTimeout: number, isOver = () => false): AsyncGenerator<Message[]> {
    for (let received = 0; received < limit && !isOver(); ) {
      const { Messages = [] } = await this.#client.send(
        new ReceiveMessageCommand({
          QueueUrl: this.#queueUrl,
          MaxNumberOfMessages: Math.min(BATCH, limit - received),
          VisibilityTimeout: visibilityTimeout,
          // A long poll queries every SQS server: a short poll may miss messages.
          WaitTimeSeconds: 1,
        }),
      );
      if (Messages.length === 0) return;
      received += Messages.length;
      yield Messages;
    }
  }

  /** Makes a message visible again at once. If that fails, or it already is visible, nothing is lost. */
  async #release({ MessageId, ReceiptHandle }: Message): Promise<void> {
    try {
      await this.#client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl: this.#queueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
      );
    } catch (error) {
      logger.warn("dead letter not released: it is visible within a minute", {
        messageId: MessageId,
        cause: error,
      });
    }
  }
}
