import { QueueDoesNotExist } from "./errors.ts";
import type { QueueRecord } from "./message-store.ts";
import { Queue, type QueueDependencies } from "./queue.ts";

/** The queues of the account, found by name, URL or ARN. */
export class Queues {
  readonly #dependencies: QueueDependencies;
  readonly #byName = new Map<string, Queue>();

  constructor(dependencies: QueueDependencies) {
    this.#dependencies = dependencies;
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  add(record: QueueRecord): void {
    this.#byName.set(record.name, new Queue(record, this.#dependencies));
  }

  named(name: string): Queue | undefined {
    return this.#byName.get(name);
  }

  /**
   * A queue's URL ends with its name.
   *
   * @throws QueueDoesNotExist
   */
  ofUrl(url: string): Queue {
    const queue = this.#byName.get(url.split("/").at(-1) ?? "");
    if (!queue) throw new QueueDoesNotExist();
    return queue;
  }

  ofArn(arn: string): Queue | undefined {
    const queue = this.#byName.get(arn.split(":").at(-1) ?? "");
    return queue?.arn === arn ? queue : undefined;
  }
}
