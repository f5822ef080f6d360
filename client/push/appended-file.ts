import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import { CommandError } from "../terminal/errors.ts";
import { isOfAnotherUser } from "./own-files.ts";

/** Only the owner may read and write. */
const PRIVATE = 0o600;

/** Writes at the end of a file. A symbolic link is not followed; Windows has none of this option. */
const APPENDING = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

/**
 * An append-only file that only its owner may read. Each addition is passed to the operating system at once, so a
 * process that is killed loses none of it.
 */
export class AppendedFile {
  readonly #path: string;
  readonly #descriptor: number;
  /** Whether an addition failed, which a full disk may have cut off. */
  #isCut = false;

  /**
   * @param flag `w` to overwrite an existing file, `a` to append to it
   * @throws CommandError if it cannot be written
   */
  constructor(path: string, flag: "w" | "a") {
    this.#path = path;
    this.#descriptor = this.#attempt(() => this.#open());
    if (flag === "w") this.#attempt(() => ftruncateSync(this.#descriptor));
  }

  /** @throws CommandError if it cannot be written */
  add(text: string): void {
    // Otherwise rows in progress, noted once there is space again, would continue its line: 1 and 23 would be 123.
    const separated = this.#isCut ? `\n${text}` : text;
    this.#isCut = true;
    // Unlike `writeSync`, it goes on until everything is written: a full disk may take only a part.
    this.#attempt(() => writeFileSync(this.#descriptor, separated));
    this.#isCut = false;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #open(): number {
    try {
      return openSync(this.#path, APPENDING | constants.O_CREAT | constants.O_EXCL, PRIVATE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const descriptor = openSync(this.#path, APPENDING);
    // It may be there since the push began.
    if (!isOfAnotherUser(fstatSync(descriptor))) {
      makePrivate(descriptor);
      return descriptor;
    }
    closeSync(descriptor);
    throw new CommandError(
      `${this.#path} belongs to another user. Remove it, or choose other locations with --journal and --refused-file.`,
    );
  }

  #attempt<Result>(write: () => Result): Result {
    try {
      return write();
    } catch (cause) {
      if (cause instanceof CommandError) throw cause;
      const { code } = cause as NodeJS.ErrnoException;
      throw new CommandError(
        `${this.#path} cannot be written (${code}). Free up space, or choose other locations with --journal and --refused-file.`,
        { cause, correct: "output" },
      );
    }
  }
}

function makePrivate(descriptor: number): void {
  try {
    fchmodSync(descriptor, PRIVATE);
  } catch {
    // A file system such as FAT has no permissions.
  }
}
