import { closeSync, openSync, writeSync } from "node:fs";
import { CommandError } from "../terminal/errors.ts";

/**
 * An append-only file that only its owner may read. Each addition is passed to the operating system at once, so a
 * process that is killed loses none of it.
 */
export class AppendedFile {
  readonly #path: string;
  readonly #descriptor: number;

  /**
   * @param flag `w` to overwrite an existing file, `a` to append to it
   * @throws CommandError if it cannot be written
   */
  constructor(path: string, flag: "w" | "a") {
    this.#path = path;
    this.#descriptor = this.#attempt(() => openSync(path, flag, 0o600));
  }

  /** @throws CommandError if it cannot be written */
  add(text: string): void {
    this.#attempt(() => writeSync(this.#descriptor, text));
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #attempt<Result>(write: () => Result): Result {
    try {
      return write();
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new CommandError(
        `${this.#path} cannot be written (${code}). Free up space, or choose other locations with --journal and --refused-file.`,
        { cause, correct: "output" },
      );
    }
  }
}
