import type { SqsEngine } from "./engine.ts";
import type { LongPolls } from "./long-polls.ts";
import type { receivedMessage } from "./message.ts";

export type ReceivedMessage = ReturnType<typeof receivedMessage>;

interface Receive {
  readonly queueUrl: string;
  /** The most messages, up to `MOST_RECEIVED`. */
  readonly count: number;
  /** How long it waits for messages. */
  readonly waitSeconds: number;
  /** Whether the caller no longer waits. It takes effect with `wake`. */
  readonly isGone: () => boolean;
}

/** The queues for event sources, which run in this process: HTTP and the SDK would take most of a receive's time. */
export class DirectQueues {
  readonly #engine: SqsEngine;
  readonly #polls: LongPolls;

  constructor(engine: SqsEngine, polls: LongPolls) {
    this.#engine = engine;
    this.#polls = polls;
  }

  /**
   * Receives messages with all their attributes, as soon as there are any.
   *
   * @throws SqsError
   */
  async receive({ queueUrl, count, waitSeconds, isGone }: Receive): Promise<readonly ReceivedMessage[]> {
    const request = {
      QueueUrl: queueUrl,
      MaxNumberOfMessages: count,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ["All"],
      MessageAttributeNames: ["All"],
      AttributeNames: [],
    };
    const { Messages = [] } = await this.#polls.receive(request, isGone);
    return Messages;
  }

  /** @throws SqsError */
  delete(queueUrl: string, messages: readonly ReceivedMessage[]): void {
    for (const { ReceiptHandle = "" } of messages) {
      this.#engine.deleteMessage({ QueueUrl: queueUrl, ReceiptHandle });
    }
    this.#polls.wake();
  }

  /** Makes waiting receives check whether their callers are gone. */
  wake(): void {
    this.#polls.wake();
  }
}
