/** What a user has to correct before the command can succeed. */
export type Correction = "key" | "address" | "file" | "output";

interface Details extends ErrorOptions {
  readonly correct?: Correction | undefined;
}

/** The reason why a command ends, in one sentence for the user. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** Undefined if the same command may succeed later. */
  readonly correct: Correction | undefined;

  constructor(message: string, { correct, ...options }: Details = {}) {
    super(message, options);
    this.correct = correct;
  }
}

/** The command, or a file given to it, is invalid. Nothing was done. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
