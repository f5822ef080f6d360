interface Step {
  readonly name: string;
  outcome: "done" | "failed" | "not reached";
  seconds: number;
}

/** The steps of a rehearsal, in order, and how each went. */
export class Steps<Name extends string> {
  readonly #steps: readonly Step[];
  readonly #onProgress: (message: string) => void;

  constructor(names: readonly Name[], onProgress: (message: string) => void) {
    this.#steps = names.map((name) => ({ name, outcome: "not reached", seconds: 0 }));
    this.#onProgress = onProgress;
  }

  async run<Result>(name: Name, work: () => Promise<Result>): Promise<Result> {
    const step = this.#steps.find((candidate) => candidate.name === name);
    if (!step) throw new Error(`${name} is no step.`);
    this.#onProgress(`${name} …`);
    const startedAt = performance.now();
    try {
      const result = await work();
      step.outcome = "done";
      return result;
    } catch (error) {
      step.outcome = "failed";
      throw error;
    } finally {
      step.seconds = (performance.now() - startedAt) / 1000;
    }
  }

  /** A line for each step. */
  report(): string {
    const width = Math.max(...this.#steps.map(({ name }) => name.length));
    return this.#steps
      .map(({ name, outcome, seconds }) => {
        const time = outcome === "not reached" ? "" : `${seconds.toFixed(1)} s`;
        return `  ${name.padEnd(width)}  ${outcome.padEnd(11)}  ${time.padStart(7)}`.trimEnd();
      })
      .join("\n");
  }
}
