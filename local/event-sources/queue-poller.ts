import { setTimeout as delay } from "node:timers/promises";
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { CommandError } from "../command-error.ts";
import { isEndOfChain } from "../lambda/chain.ts";
import type { LocalFunction } from "../lambda/local-function.ts";
import { ACCOUNT } from "../template.ts";
import { failuresIn } from "./batch-response.ts";
import type { QueueSource } from "./definition.ts";
import type { EventSourcePoller } from "./poller.ts";
import { filterable, toQueueRecord } from "./queue-record.ts";
import type { EventSourceServices } from "./services.ts";

/** SQS gives at most 10 messages at a time. */
const MOST_RECEIVED = 10;
/** How long a receive waits for messages, in seconds: also the longest time that a stop waits for it. */
const WAIT_SECONDS = 1;
/** Before a receive that follows a failed one, in ms. */
const FAULT_MS = 1_000;

/** Receives from a queue and hands the messages to a function; deletes what was done, leaves what failed. */
export class QueuePoller implements EventSourcePoller {
  readonly #source: QueueSource;
  readonly #target: LocalFunction;
  readonly #services: EventSourceServices;
  readonly #queueUrl: string;
  readonly #stopping = new AbortController();
  readonly #running: readonly Promise<void>[];

  /** Begins at once. */
  constructor(source: QueueSource, target: LocalFunction, services: EventSourceServices) {
    this.#source = source;
    this.#target = target;
    this.#services = services;
    this.#queueUrl = `${services.queuesUrl}/${ACCOUNT}/${source.queueArn.split(":").at(-1)}`;
    this.#running = Array.from({ length: source.maximumConcurrency }, () => this.#poll());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
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

  /** A batch: what one receive gives, or more for as long as the batching window is open. */
  async #gather(): Promise<Message[]> {
    const { batchSize, batchingWindowSeconds } = this.#source;
    const messages: Message[] = [];
    let windowEnds = Number.POSITIVE_INFINITY;
    while (!this.#stopping.signal.aborted && messages.length < batchSize && Date.now() < windowEnds) {
      const { Messages = [] } = await this.#services.sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: this.#queueUrl,
          MaxNumberOfMessages: Math.min(MOST_RECEIVED, batchSize - messages.length),
          WaitTimeSeconds: WAIT_SECONDS,
          MessageSystemAttributeNames: ["All"],
          MessageAttributeNames: ["All"],
        }),
      );
      if (messages.length === 0) windowEnds = Date.now() + batchingWindowSeconds * 1000;
      messages.push(...Messages);
    }
    return messages;
  }

  async #deliver(messages: readonly Message[]): Promise<void> {
    const matching = messages.filter((message) => this.#source.filter(filterable(message)));
    const done = messages.filter((message) => !matching.includes(message));
    const wanted = matching.filter((message) => !this.#isStopped(message));
    if (wanted.length < matching.length) this.#reportLoop();
    if (wanted.length > 0) done.push(...(await this.#invoke(wanted)));
    await this.#remove(done);
  }

  /** Hands messages to the function, and returns those that it is done with. */
  async #invoke(messages: readonly Message[]): Promise<Message[]> {
    const Records = messages.map((message) => toQueueRecord(message, this.#source.queueArn));
    const causes = messages.flatMap(({ Attributes }) => Attributes?.["AWSTraceHeader"] ?? []);
    const result = await this.#target.invoke(JSON.stringify({ Records }), { causes });
    const identifiers = Records.map(({ messageId }) => messageId);
    const failed = failuresIn(result, identifiers, this.#source.reportsItemFailures);
    return failed === "all" ? [] : messages.filter(({ MessageId = "" }) => !failed.has(MessageId));
  }

  #isStopped({ Attributes }: Message): boolean {
    const { arn, allowsRecursion } = this.#target.definition;
    return !allowsRecursion && isEndOfChain(arn, Attributes?.["AWSTraceHeader"]);
  }

  #reportLoop(): void {
    this.#services.onFault(
      new CommandError(
        `${this.#target.definition.name} sends to what invokes it: after 16 rounds its message stays in the queue, as Lambda's recursive loop detection would have it. Set recursiveLoop to RecursiveLoop.ALLOW where that is meant.`,
      ),
    );
  }

  async #remove(messages: readonly Message[]): Promise<void> {
    for (let start = 0; start < messages.length; start += MOST_RECEIVED) {
      await this.#services.sqs.send(
        new DeleteMessageBatchCommand({
          QueueUrl: this.#queueUrl,
          Entries: messages.slice(start, start + MOST_RECEIVED).map(({ ReceiptHandle }, index) => ({
            Id: String(index),
            ReceiptHandle,
          })),
        }),
      );
    }
  }
}
