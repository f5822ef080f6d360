import { setTimeout as delay } from "node:timers/promises";
import type { LocalFunction } from "../lambda/local-function.ts";
import { isRecursiveLoop, LONGEST_CHAIN } from "../lambda/recursive-loop.ts";
import { CommandError } from "../machine/command-error.ts";
import type { ReceivedMessage } from "../sqs/direct-queues.ts";
import { NUMBER_ATTRIBUTES } from "../sqs/queue-attributes.ts";
import { MOST_RECEIVED } from "../sqs/requests.ts";
import { queueUrlOf } from "../template.ts";
import { batchItemFailures } from "./batch-item-failures.ts";
import type { QueueSource } from "./definition.ts";
import type { EventSourcePoller } from "./poller.ts";
import { filterable, toQueueRecord } from "./queue-record.ts";
import type { EventSourceServices } from "./services.ts";

/** How long a receive waits for messages, in seconds: the longest time. A stop ends it. */
const WAIT_SECONDS = NUMBER_ATTRIBUTES.ReceiveMessageWaitTimeSeconds.most;
/** The pause after a failed receive, in ms. */
const FAULT_MS = 1_000;

/** Receives messages from a queue and invokes a function with them. Deletes those that succeed, leaves others. */
export class QueuePoller implements EventSourcePoller {
  readonly #source: QueueSource;
  readonly #target: Pick<LocalFunction, "definition" | "invoke">;
  readonly #services: EventSourceServices;
  readonly #queueUrl: string;
  readonly #stopping = new AbortController();
  readonly #running: readonly Promise<void>[];

  /** Starts at once. */
  constructor(
    source: QueueSource,
    target: Pick<LocalFunction, "definition" | "invoke">,
    services: EventSourceServices,
  ) {
    this.#source = source;
    this.#target = target;
    this.#services = services;
    this.#queueUrl = queueUrlOf(services.queuesEndpoint, source.queueArn);
    this.#running = Array.from({ length: source.maximumConcurrency }, () => this.#poll());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#services.queues.wake();
    await Promise.all(this.#running);
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const messages = await this.#gather();
        if (messages.length > 0) await this.#deliver(messages);
      } catch (error) {
        if (signal.aborted) return;
        this.#services.onFault(error);
        await delay(FAULT_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Collects a batch: the messages of one receive, or of several while the batching window is open. */
  async #gather(): Promise<ReceivedMessage[]> {
    const { batchSize, batchingWindowSeconds } = this.#source;
    const messages: ReceivedMessage[] = [];
    let windowEnds = Number.POSITIVE_INFINITY;
    while (!this.#stopping.signal.aborted && messages.length < batchSize && Date.now() < windowEnds) {
      const received = await this.#services.queues.receive({
        queueUrl: this.#queueUrl,
        count: Math.min(MOST_RECEIVED, batchSize - messages.length),
        waitSeconds: Math.min(WAIT_SECONDS, Math.ceil((windowEnds - Date.now()) / 1000)),
        isGone: () => this.#stopping.signal.aborted,
      });
      if (messages.length === 0) windowEnds = Date.now() + batchingWindowSeconds * 1000;
      messages.push(...received);
    }
    return messages;
  }

  async #deliver(messages: readonly ReceivedMessage[]): Promise<void> {
    const matching = messages.filter((message) => this.#source.filter(filterable(message)));
    const done = messages.filter((message) => !matching.includes(message));
    const wanted = matching.filter((message) => !this.#isLooping(message));
    if (wanted.length < matching.length) this.#reportLoop();
    if (wanted.length > 0) done.push(...(await this.#invoke(wanted)));
    this.#services.queues.delete(this.#queueUrl, done);
  }

  /** Invokes the function with messages, and returns those that succeeded. */
  async #invoke(messages: readonly ReceivedMessage[]): Promise<ReceivedMessage[]> {
    const Records = messages.map((message) => toQueueRecord(message, this.#source.queueArn));
    const causes = messages.flatMap(({ Attributes }) => Attributes?.["AWSTraceHeader"] ?? []);
    const result = await this.#target.invoke(JSON.stringify({ Records }), { causes });
    const identifiers = Records.map(({ messageId }) => messageId);
    const failed = batchItemFailures(result, identifiers, this.#source.reportsItemFailures);
    return failed === "all" ? [] : messages.filter(({ MessageId }) => !failed.has(MessageId));
  }

  #isLooping({ Attributes }: ReceivedMessage): boolean {
    const { arn, allowsRecursion } = this.#target.definition;
    return !allowsRecursion && isRecursiveLoop(arn, Attributes?.["AWSTraceHeader"]);
  }

  #reportLoop(): void {
    this.#services.onFault(
      new CommandError(
        `${this.#target.definition.name} sends to its own event source. After ${LONGEST_CHAIN} rounds its message stays in the queue, like with Lambda's recursive loop detection. If this is intended, set recursiveLoop to RecursiveLoop.ALLOW.`,
      ),
    );
  }
}
