import type { ServerResponse } from "node:http";
import type { Address } from "./address.ts";
import type { Screen } from "./page-data.ts";

/** How long changes are collected before they are sent, in ms. */
const GATHER_MS = 50;

interface Viewer {
  readonly address: Address;
  /** The last screen that was sent, as JSON. */
  sent: string;
}

/** Sends to every open page what its address shows, and again whenever that changes (Server-Sent Events). */
export class LiveStream {
  readonly #viewers = new Map<ServerResponse, Viewer>();
  readonly #screenOf: (address: Address) => Screen;
  #timer: NodeJS.Timeout | undefined;

  constructor(screenOf: (address: Address) => Screen) {
    this.#screenOf = screenOf;
  }

  open(response: ServerResponse, address: Address): void {
    const viewer = { address, sent: "" };
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    this.#viewers.set(response, viewer);
    response.on("close", () => this.#viewers.delete(response));
    response.on("drain", () => this.#send(response, viewer));
    this.#send(response, viewer);
  }

  /** Schedules sending the changes to all pages. */
  schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const [response, viewer] of this.#viewers) this.#send(response, viewer);
    }, GATHER_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const response of this.#viewers.keys()) response.end();
  }

  #send(response: ServerResponse, viewer: Viewer): void {
    // A page that has not read the last screen skips the ones before the next.
    if (response.writableNeedDrain) return;
    const screen = JSON.stringify(this.#screenOf(viewer.address));
    if (screen === viewer.sent) return;
    viewer.sent = screen;
    response.write(`data: ${screen}\n\n`);
  }
}
