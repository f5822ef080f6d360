import type * as z from "zod";
import type { SqsEngine } from "./engine.ts";
import type { ReceiveMessageRequest } from "./requests.ts";

interface Waiter {
  readonly queueUrl: string;
  /** When it looks again by itself, in ms since 1970. */
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
   * Receives as soon as there are messages, or nothing at the end of the request's wait time.
   *
   * @param isGone whether the caller has hung up: what it received would be out of sight for nothing
   * @throws SqsError
   */
  async receive(request: z.output<typeof ReceiveMessageRequest>, isGone: () => boolean) {
    const { QueueUrl } = request;
    const end = Date.now() + this.#engine.waitOf(request);
    for (;;) {
      if (isGone()) return {};
      const response = this.#engine.receiveMessage(request);
      // Messages that it moved to a dead-letter queue are visible there.
      this.wake();
      if (response.Messages || Date.now() >= end || this.#closed) return response;
      await this.#change(QueueUrl, Math.min(end, this.#due(QueueUrl)), isGone);
    }
  }

  /** Lets those receives look again whose queue has changed, in the order in which they came. */
  wake(): void {
    for (const { queueUrl, until, isGone, proceed } of [...this.#waiting]) {
      if (this.#closed || isGone() || this.#due(queueUrl) < until) proceed();
    }
  }

  /** Ends the waiting, of later receives too. */
  close(): void {
    this.#closed = true;
    this.wake();
  }

  #due(queueUrl: string): number {
    return this.#engine.nextDue(queueUrl) ?? Number.POSITIVE_INFINITY;
  }

  #change(queueUrl: string, until: number, isGone: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const proceed = () => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        resolve();
      };
      const timer = setTimeout(proceed, until - Date.now());
      const waiter = { queueUrl, until, isGone, proceed };
      this.#waiting.add(waiter);
    });
  }
}
