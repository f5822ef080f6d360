import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { rawHeadersOf } from "../machine/raw-headers.ts";
import type { Board } from "./board.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import { INBOX_RETRY_AFTER, type InboxResponse } from "./page-data.ts";
import { textOf } from "./request-body.ts";
import { requestView } from "./request-view.ts";
import { checkSignature } from "./signature-check.ts";

/** How many inboxes are kept that no endpoint uses: any request to a new name opens one. */
const UNUSED = 50;

interface InboxesOptions {
  readonly board: Board;
  readonly secrets: KnownSecrets;
  /** For example `http://127.0.0.1:<port>`. */
  readonly baseUrl: string;
}

/** Webhook receivers for development. They show the requests that they receive, and their response can be chosen. */
export class Inboxes {
  readonly #options: InboxesOptions;
  readonly #hanging = new Set<ServerResponse>();

  constructor(options: InboxesOptions) {
    this.#options = options;
  }

  urlOf(inbox: string): string {
    return `${this.#options.baseUrl}/console/inbox/${inbox}`;
  }

  setResponse(inbox: string, response: InboxResponse): void {
    const { board } = this.#options;
    board.inboxes.put({ key: inbox, url: this.urlOf(inbox), response });
    const unused = [...board.inboxes.values()].filter(({ key, url }) => !this.#isUsed(key, url));
    for (const { key } of unused.slice(0, -UNUSED)) board.inboxes.remove(key);
  }

  #isUsed(inbox: string, inboxUrl: string): boolean {
    const { board, secrets } = this.#options;
    return (
      secrets.ofInbox(inbox).length > 0 || [...board.endpoints.values()].some(({ url }) => url === inboxUrl)
    );
  }

  /** Receives a request and responds. */
  async receive(inbox: string, message: IncomingMessage, connection: ServerResponse): Promise<void> {
    const { board, secrets } = this.#options;
    const body = await textOf(message);
    if (body === undefined) {
      connection.writeHead(413).end();
      return;
    }
    if (!board.inboxes.get(inbox)) this.setResponse(inbox, "200");
    const response = board.inboxes.get(inbox)?.response ?? "200";
    const headers = rawHeadersOf(message);
    const signature = checkSignature({ headers, body }, secrets.ofInbox(inbox));
    const { url: _, ...request } = requestView({ url: this.urlOf(inbox), headers, body, signature });
    board.received.put({
      key: `req_${randomUUID()}`,
      inbox,
      receivedAt: new Date().toISOString(),
      response,
      ...request,
    });
    if (response !== "hang") {
      connection
        .writeHead(Number(response), response === "429" ? { "Retry-After": INBOX_RETRY_AFTER } : {})
        .end();
      return;
    }
    this.#hanging.add(connection);
    connection.on("close", () => this.#hanging.delete(connection));
  }

  /** Closes the connections of requests without a response. */
  close(): void {
    for (const connection of this.#hanging) connection.destroy();
  }
}
