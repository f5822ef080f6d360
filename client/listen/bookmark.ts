import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { withoutTrailingSlashes } from "../src/base-url.ts";
import { CommandError } from "../terminal/errors.ts";
import { lock, lockPathOf } from "../terminal/lock.ts";

/** How many ids are kept: more than there are on a page, because the feed may contain an event twice. */
const KEPT_IDS = 200;

const Text = z.string().check(z.minLength(1));

/** Where to read the feed from: after a page, from a time, or from its oldest event. */
const Place = z.object({ cursor: z.optional(Text), since: z.optional(Text) });
type Place = z.infer<typeof Place>;

const Stored = z.object({ place: Place, forwarded: z.array(z.string()) });

/**
 * The position up to which events were forwarded, in a file in the user's directory: the cursor of a page in the
 * feed, and the ids of the last forwarded events. There is one file for each environment and key; it contains neither
 * of them, and no event.
 */
export class Bookmark {
  readonly #path: string;
  #place: Place;
  /** In the order in which they were forwarded. */
  readonly #forwarded: Set<string>;
  #hasNews = false;
  #isAccepted = false;

  private constructor(path: string, { place, forwarded }: z.infer<typeof Stored>) {
    this.#path = path;
    this.#place = place;
    this.#forwarded = new Set(forwarded);
  }

  /**
   * The bookmark of an earlier run; undefined if there is none.
   *
   * @throws CommandError if it cannot be read: a run that began elsewhere would skip events unnoticed
   */
  static find(url: string, key: string): Bookmark | undefined {
    const path = pathOf(url, key);
    const text = readIfPresent(path);
    return text === undefined ? undefined : new Bookmark(path, storedIn(text, path));
  }

  /** A new bookmark, which replaces that of an earlier run once the service has accepted its place. */
  static begin(url: string, key: string, place: Place): Bookmark {
    return new Bookmark(pathOf(url, key), { place, forwarded: [] });
  }

  /** Before any event is forwarded: one whose forwarding cannot be recorded would be forwarded again. */
  assertWritable(): void {
    this.#write(() => appendFileSync(this.#newPath, "", { mode: 0o600 }));
  }

  /**
   * Keeps other runs from forwarding with the same position.
   *
   * @returns a function that ends the lock, and removes the file that {@link assertWritable} may have left
   * @throws CommandError if another run holds it
   */
  lock(): () => void {
    const unlock = lock({
      path: lockPathOf(this.#path),
      other: "Another candidates listen with this address and key",
      remedy: UNWRITABLE_REMEDY,
    });
    return () => {
      // While the lock holds: another run may write the file after it.
      try {
        rmSync(this.#newPath, { force: true });
      } finally {
        unlock();
      }
    };
  }

  get place(): Place {
    return this.#place;
  }

  isForwarded(eventId: string): boolean {
    return this.#forwarded.has(eventId);
  }

  /** Records that an event of the page was forwarded. */
  note(eventId: string): void {
    this.#forwarded.add(eventId);
    for (const oldest of [...this.#forwarded].slice(0, -KEPT_IDS)) this.#forwarded.delete(oldest);
    this.#hasNews = true;
    this.#store();
  }

  /** Moves to the next page. A page without events is recorded with the next event, or at the end. */
  turnTo(place: Place): void {
    this.#place = place;
    this.#isAccepted = true;
    if (this.#hasNews) this.#store();
    this.#hasNews = false;
  }

  /** A place that was refused is not kept: the next run would otherwise continue from the oldest event. */
  close(): void {
    if (this.#isAccepted) this.#store();
  }

  /** A crash leaves the old file or the new one, never a part. */
  #store(): void {
    const stored = { place: this.#place, forwarded: [...this.#forwarded] };
    this.#write(() => {
      writeFileSync(this.#newPath, JSON.stringify(stored), { mode: 0o600 });
      renameSync(this.#newPath, this.#path);
    });
  }

  get #newPath(): string {
    return `${this.#path}.new`;
  }

  #write(write: () => void): void {
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      write();
    } catch (cause) {
      throw new CommandError(
        `${this.#path} cannot be written (${codeOf(cause)}). It records what was forwarded. ${UNWRITABLE_REMEDY}`,
        { cause },
      );
    }
  }
}

const UNWRITABLE_REMEDY = "Make it and its folder writable.";
const REMEDY =
  "Use --since <time> to start from a time of your choice, or delete the file to start with the events of the last minute.";

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined;
    throw new CommandError(
      `${path} cannot be read (${codeOf(cause)}). It records what was forwarded. ${REMEDY}`,
      { cause },
    );
  }
}

function storedIn(text: string, path: string): z.infer<typeof Stored> {
  try {
    return Stored.parse(JSON.parse(text));
  } catch (cause) {
    throw new CommandError(
      `${path} is damaged, so that it is not known which events were forwarded. ${REMEDY}`,
      { cause },
    );
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function pathOf(url: string, key: string): string {
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([withoutTrailingSlashes(url), key]))
    .digest("hex");
  return join(homedir(), ".candidates", `listen-${fingerprint.slice(0, 32)}.json`);
}
