import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import { CommandError } from "../terminal/errors.ts";

/** How many ids are kept: more than there are on a page, because the feed may contain an event twice. */
const KEPT_IDS = 200;

/** Where to read the feed from: after a page, from a time, or from its oldest event. */
const Place = z.object({ cursor: z.optional(z.string()), since: z.optional(z.string()) });
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

  /** The bookmark of an earlier run; undefined if there is none that can be read. */
  static find(url: string, key: string): Bookmark | undefined {
    const path = pathOf(url, key);
    try {
      return new Bookmark(path, Stored.parse(JSON.parse(readFileSync(path, "utf8"))));
    } catch {
      return undefined;
    }
  }

  /** A new bookmark, which replaces that of an earlier run once the service has accepted its place. */
  static begin(url: string, key: string, place: Place): Bookmark {
    return new Bookmark(pathOf(url, key), { place, forwarded: [] });
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
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeFileSync(`${this.#path}.new`, JSON.stringify(stored), { mode: 0o600 });
      renameSync(`${this.#path}.new`, this.#path);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new CommandError(`${this.#path} cannot be written (${code}). It records what was forwarded.`, {
        cause,
      });
    }
  }
}

function pathOf(url: string, key: string): string {
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([url.replace(/\/+$/, ""), key]))
    .digest("hex");
  return join(homedir(), ".candidates", `listen-${fingerprint.slice(0, 32)}.json`);
}
