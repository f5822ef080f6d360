/** Steps to run at the end or after a failed start: in reverse order, and only once, however often it is called. */
export class CleanUp {
  readonly #steps: (() => void | Promise<void>)[] = [];
  #running: Promise<void> | undefined;

  add(step: () => void | Promise<void>): void {
    this.#steps.push(step);
  }

  run(): Promise<void> {
    this.#running ??= this.#runAll();
    return this.#running;
  }

  async #runAll(): Promise<void> {
    for (const step of this.#steps.reverse()) await step();
  }
}
