import type { ServerResponse } from "node:http";
import { type Board, snapshotOf, takeChanges } from "./board.ts";

/** How long changes are collected before they are sent, in ms. */
const GATHER_MS = 40;
/** The most unread bytes of a page. Beyond that its connection is closed; it reconnects and receives a snapshot. */
const MOST_UNREAD_BYTES = 16 * 1024 * 1024;

/** Sends the board to every open page: first a snapshot, then the changes (Server-Sent Events). */
export class LiveStream {
  readonly #viewers = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  open(response: ServerResponse, board: Board): void {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    // Changes that are not sent yet are also in the snapshot. Applying them twice is harmless.
    response.write(message("snapshot", snapshotOf(board)));
    this.#viewers.add(response);
    response.on("close", () => this.#viewers.delete(response));
  }

  /** Schedules sending the changes to all pages. */
  schedule(board: Board): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const text = message("changes", takeChanges(board));
      for (const viewer of this.#viewers) {
        if (viewer.writableLength > MOST_UNREAD_BYTES) viewer.destroy();
        else viewer.write(text);
      }
    }, GATHER_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const viewer of this.#viewers) viewer.end();
  }
}

function message(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
