import { closeSync, openSync, writeSync } from "node:fs";
import { CommandError } from "./errors.ts";

/**
 * A file of our own that text is only ever added to, and that its owner alone may read. What is added is
 * handed to the operating system at once: a process that is killed has lost nothing of it.
 */
export class AppendedFile {
  readonly #path: string;
  readonly #descriptor: number;

  /**
   * @param flag `w` to begin it anew, `a` to go on
   * @throws CommandError when it cannot be written
   */
  constructor(path: string, flag: "w" | "a") {
    this.#path = path;
    this.#descriptor = this.#attempt(() => openSync(path, flag, 0o600));
  }

  /** @throws CommandError when it cannot be written */
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
        `${this.#path} cannot be written (${code}): make room, or name other places with --journal and --refused-file.`,
        { cause },
      );
    }
  }
}
