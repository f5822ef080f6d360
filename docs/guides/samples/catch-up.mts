import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { argv, env, exit, stderr, stdout } from "node:process";
import { setTimeout } from "node:timers/promises";

interface Event {
  readonly id: string;
  readonly type: string;
}

interface Page {
  readonly data: readonly Event[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

interface Refusal {
  readonly error?: string;
  readonly message?: string;
}

/** Handles every event since the checkpoint in a file. `handle` must be able to get an event twice: remember the ids. */
export async function catchUp(checkpoint: string, handle: (event: Event) => Promise<void>): Promise<void> {
  let cursor = existsSync(checkpoint) ? await readFile(checkpoint, "utf8") : "";
  for (let hasMore = true; hasMore; ) {
    const page = await getPage(cursor);
    for (const event of page.data) await handle(event);
    // Only now: after a crash the page is read again.
    await writeFile(`${checkpoint}.new`, page.nextCursor);
    await rename(`${checkpoint}.new`, checkpoint);
    ({ nextCursor: cursor, hasMore } = page);
  }
}

/** The page after a cursor. If the cursor is too old: from the oldest event that is kept. */
async function getPage(cursor: string): Promise<Page> {
  const url = new URL(`${env["BASE"]}/v1/events`);
  if (cursor) url.searchParams.set("cursor", cursor);
  const response = await fetch(url, { headers: { "X-API-Key": env["KEY"] ?? "" } });
  if (response.ok) return (await response.json()) as Page;
  const { error, message } = (await response.json().catch(() => ({}))) as Refusal;
  if (error === "events_expired" && cursor) {
    stderr.write(`Events may be lost: ${message}\n`);
    return getPage("");
  }
  if (response.status !== 429 && response.status < 500) throw new Error(`${response.status}: ${message}`);
  // Seconds; a proxy may send a date instead.
  await setTimeout((Number(response.headers.get("Retry-After")) || 1) * 1_000);
  return getPage(cursor);
}

// Try it, on Node 22.18 or newer: BASE=https://… KEY=rr_dev_… node catch-up.mts checkpoint.txt
if (import.meta.main) {
  const checkpoint = argv[2];
  if (checkpoint === undefined) {
    stderr.write("Usage: node catch-up.mts <checkpoint file>\n");
    exit(2);
  }
  await catchUp(checkpoint, async ({ id, type }) => {
    stdout.write(`${id} ${type}\n`);
  });
}
