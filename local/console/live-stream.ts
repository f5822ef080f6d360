import type { ServerResponse } from "node:http";
import { type Board, snapshotOf, takeChanges } from "./board.ts";

/** Changes are gathered for so long, in ms, before they are sent. */
const GATHER_MS = 40;
/** A page that leaves so many bytes unread is hung up on: it connects again and gets a snapshot. */
const MOST_UNREAD_BYTES = 16 * 1024 * 1024;

/** Sends the board to every open page: first a snapshot, then what changes (Server-Sent Events). */
export class LiveStream {
  readonly #viewers = new Set<ServerResponse>();
  #timer: NodeJS.Timeout | undefined;

  open(response: ServerResponse, board: Board): void {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    // What is not sent yet is in the snapshot too: to put it twice does no harm.
    response.write(message("snapshot", snapshotOf(board)));
    this.#viewers.add(response);
    response.on("close", () => this.#viewers.delete(response));
  }

  /** Sends what has changed to all, soon. */
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
