import type * as z from "zod";
import type { SqsEngine } from "./engine.ts";
import type { ReceiveMessageRequest } from "./requests.ts";

interface Waiter {
  readonly queueUrl: string;
  /** When it checks again without a change, in ms since 1970. */
  readonly until: number;
  readonly isGone: () => boolean;
  readonly proceed: () => void;
}

/** Receives that wait for messages (Amazon SQS developer guide, "Amazon SQS short and long polling"). */
export class LongPolls {
  readonly #engine: SqsEngine;
  readonly #waiting = new Set<Waiter>();
  #closed = false;

  constructor(engine: SqsEngine) {
    this.#engine = engine;
  }

  /**
   * Receives messages as soon as there are any, or none at the end of the request's wait time.
   *
   * @param isGone whether the caller has closed the connection: messages that it received would be hidden in vain
   * @throws SqsError
   */
  async receive(request: z.output<typeof ReceiveMessageRequest>, isGone: () => boolean) {
    const { QueueUrl } = request;
    const end = Date.now() + this.#engine.waitOf(request);
    for (;;) {
      if (isGone()) return {};
      const response = this.#engine.receiveMessage(request);
      // Messages moved to a dead-letter queue are visible there.
      this.wake();
      if (response.Messages || Date.now() >= end || this.#closed) return response;
      await this.#untilChange(QueueUrl, Math.min(end, this.#due(QueueUrl)), isGone);
    }
  }

  /**
   * Makes waiting receives of changed queues check again, in the order in which they came. So do those that have waited
   * long enough: after a sleep of the machine their timers end late, because the clock of timers stood still.
   */
  wake(): void {
    for (const { queueUrl, until, isGone, proceed } of [...this.#waiting]) {
      if (this.#closed || isGone() || until <= Date.now() || this.#due(queueUrl) < until) proceed();
    }
  }

  /** Ends all waits, including those of later receives. */
  close(): void {
    this.#closed = true;
    this.wake();
  }

  #due(queueUrl: string): number {
    return this.#engine.nextDue(queueUrl) ?? Number.POSITIVE_INFINITY;
  }

  /** Resolves at a change of the queue, at `until`, or when the caller is gone. */
  #untilChange(queueUrl: string, until: number, isGone: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const proceed = () => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        resolve();
      };
      const timer = setTimeout(proceed, Math.max(0, until - Date.now()));
      const waiter = { queueUrl, until, isGone, proceed };
      this.#waiting.add(waiter);
    });
  }
}
