import { batchItemFailures } from "../../../local/event-sources/batch-item-failures.ts";
import type { QueueSource } from "../../../local/event-sources/definition.ts";
import { toQueueRecord } from "../../../local/event-sources/queue-record.ts";
import { isRecursiveLoop } from "../../../local/lambda/recursive-loop.ts";
import type { ReceivedMessage } from "../../../local/sqs/direct-queues.ts";
import { MOST_RECEIVED } from "../../../local/sqs/requests.ts";
import type { Random } from "../random.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { SimulatedQueues } from "./queues.ts";
import type { SimulatedFunction } from "./simulated-function.ts";

interface Dependencies {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly queues: SimulatedQueues;
  readonly queueUrl: string;
  /** Whether Lambda has no execution for a batch, as when the account's are used up. */
  throttles(): boolean;
  /** Whether SQS hands over a message again that was deleted ("at-least-once delivery"). */
  repeats(): boolean;
}

const POLL_MS = 50;

/** Hands the messages of a queue to a function; deletes what was done, leaves what failed. */
export class SimulatedQueueSource {
  readonly #source: QueueSource;
  readonly #target: SimulatedFunction;
  readonly #dependencies: Dependencies;
  #running = 0;
  #cancelLook: (() => void) | undefined;
  #nextLook = Number.POSITIVE_INFINITY;

  constructor(source: QueueSource, target: SimulatedFunction, dependencies: Dependencies) {
    this.#source = source;
    this.#target = target;
    this.#dependencies = dependencies;
  }

  get isBusy(): boolean {
    return this.#running > 0;
  }

  get isEmpty(): boolean {
    return this.#dependencies.queues.engine.nextDue(this.#dependencies.queueUrl) === undefined;
  }

  /** To be called when the queue has changed: polls when its next message is visible. */
  look(): void {
    const { clock, random, queues, queueUrl } = this.#dependencies;
    const due = queues.engine.nextDue(queueUrl);
    if (due === undefined || this.#running >= this.#source.maximumConcurrency) return;
    const at = Math.max(due, clock.now());
    if (at >= this.#nextLook) return;
    this.#cancelLook?.();
    this.#nextLook = at;
    this.#cancelLook = clock.after(at - clock.now() + random.integer(0, POLL_MS), () => {
      this.#nextLook = Number.POSITIVE_INFINITY;
      void this.#poll();
    });
  }

  async #poll(): Promise<void> {
    const { queues, queueUrl, throttles } = this.#dependencies;
    const { Messages = [] } = queues.engine.receiveMessage(receive(queueUrl, this.#source.batchSize));
    queues.changed();
    // What finds no execution comes back after its visibility timeout.
    if (Messages.length === 0 || throttles()) return;
    this.#running += 1;
    this.look();
    await this.#deliver(Messages);
    this.#running -= 1;
    this.look();
  }

  async #deliver(messages: readonly ReceivedMessage[]): Promise<void> {
    const { queues, queueUrl } = this.#dependencies;
    const { arn, allowsRecursion } = this.#target.definition;
    const wanted = messages.filter(
      ({ Attributes }) => allowsRecursion || !isRecursiveLoop(arn, Attributes?.["AWSTraceHeader"]),
    );
    if (wanted.length === 0) return;
    const Records = wanted.map((message) => toQueueRecord(message, this.#source.queueArn));
    const causes = wanted.flatMap(({ Attributes }) => Attributes?.["AWSTraceHeader"] ?? []);
    const end = await this.#target.invoke({ Records }, causes);
    const failed = batchItemFailures(
      end,
      Records.map(({ messageId }) => messageId),
      this.#source.reportsItemFailures,
    );
    for (const { MessageId, ReceiptHandle = "" } of wanted) {
      const isDone = failed !== "all" && !failed.has(MessageId);
      // What SQS does not delete, although it is asked to, comes again.
      if (isDone && !this.#dependencies.repeats())
        queues.engine.deleteMessage({ QueueUrl: queueUrl, ReceiptHandle });
    }
  }
}

function receive(QueueUrl: string, batchSize: number) {
  return {
    QueueUrl,
    MaxNumberOfMessages: Math.min(MOST_RECEIVED, batchSize),
    WaitTimeSeconds: 20,
    MessageAttributeNames: ["All"],
    MessageSystemAttributeNames: ["All"],
    AttributeNames: [],
  };
}
