import type { IncomingMessage, ServerResponse } from "node:http";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { StreamRecord } from "../event-sources/stream-record.ts";
import type { RunningExtension } from "../extension.ts";
import type { Invocation } from "../lambda/local-function.ts";
import type { SentRequest } from "../lambda/sent-requests.ts";
import { refusalOf } from "../machine/loopback-guard.ts";
import { ActionRefused, Actions, type ActionsOptions } from "./actions.ts";
import { type Address, parseAddress } from "./address.ts";
import { type Board, emptyBoard } from "./board.ts";
import { DeliveryRequests } from "./delivery-requests.ts";
import { Inboxes } from "./inboxes.ts";
import { KnownSecrets } from "./known-secrets.ts";
import { LiveStream } from "./live-stream.ts";
import { buildPage, type PageFile } from "./page-files.ts";
import { textOf } from "./request-body.ts";
import { Screens } from "./screens.ts";
import { SentRequests } from "./sent-requests.ts";
import { TableReader } from "./table-reader.ts";

interface DeveloperConsoleOptions extends Pick<ActionsOptions, "baseUrl" | "organisations" | "functions"> {
  readonly dynamodb: DynamoDBClient;
  /** The table to watch; undefined if the assembly has none. */
  readonly tableName: string | undefined;
  /** The file with the inboxes' signing secrets. */
  readonly secretsFile: string;
  onFault(error: unknown): void;
}

const HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** The path of an inbox. Its name may contain only characters that need no escaping. */
const INBOX = /^\/console\/inbox\/([\w.-]{1,100})$/;
const ACTION = "/console/actions/";
const STREAM = "/console/stream";

/** The page at `/console` of the local stack, on which a developer observes the service and triggers actions. */
export class DeveloperConsole implements RunningExtension {
  readonly #options: DeveloperConsoleOptions;
  readonly #board: Board;
  readonly #stream: LiveStream;
  readonly #sentRequests = new SentRequests();
  readonly #secrets: KnownSecrets;
  readonly #inboxes: Inboxes;
  readonly #actions: Actions;
  readonly #table: TableReader;
  #page: Promise<ReadonlyMap<string, PageFile>> | undefined;
  /** The initial read of the table: not begun, under way or done. */
  #read: "none" | "reading" | "done" = "none";

  constructor(options: DeveloperConsoleOptions) {
    this.#options = options;
    const board = emptyBoard(() => this.#stream.schedule());
    this.#board = board;
    const secrets = new KnownSecrets(options.secretsFile);
    this.#secrets = secrets;
    const requests = new DeliveryRequests(this.#sentRequests, board, secrets);
    const screens = new Screens({ board, requests, isReading: () => this.#read === "reading" });
    this.#stream = new LiveStream((address) => screens.of(address));
    this.#inboxes = new Inboxes({ board, secrets, baseUrl: options.baseUrl });
    // Inboxes registered by an earlier start.
    for (const inbox of secrets.inboxes()) this.#inboxes.setResponse(inbox, "200");
    this.#actions = new Actions({ ...options, board, secrets, inboxes: this.#inboxes });
    this.#table = new TableReader({ board, secrets, onFault: options.onFault });
  }

  /** Whether a request is for the console. */
  owns({ url = "" }: IncomingMessage): boolean {
    return /^\/console(?:[/?]|$)/.test(url);
  }

  async respond(message: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const refusal = refusalOf(message);
    if (refusal !== undefined) return sendMessage(response, 403, refusal);
    const [path = "", query] = (message.url ?? "").split(/\?(.*)/s);
    if (message.method === "GET") return this.#show(path, new URLSearchParams(query), response);
    if (message.method !== "POST") {
      response.setHeader("Allow", "GET, POST");
      return sendMessage(response, 405, "The console supports only GET and POST.");
    }
    const inbox = INBOX.exec(path)?.[1];
    if (inbox !== undefined) return this.#inboxes.receive(inbox, message, response);
    if (path.startsWith(ACTION)) return this.#act(path.slice(ACTION.length), message, response);
    sendMessage(response, 404, "Not found.");
  }

  /** Records a request that a function sent. */
  onSentRequest(request: SentRequest): void {
    this.#sentRequests.add(request);
  }

  /** A rotation succeeds although its secret cannot be kept. */
  onInvocation(invocation: Invocation): void {
    try {
      this.#secrets.learn(invocation);
    } catch (error) {
      this.#options.onFault(error);
    }
  }

  /** Applies a change from the table's stream. */
  onStreamRecord(record: StreamRecord): void {
    this.#table.follow(record);
  }

  /** Closes all connections. */
  close(): void {
    this.#stream.close();
    this.#inboxes.close();
  }

  async #show(path: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    if (path.startsWith(STREAM)) {
      const address = parseAddress(path.slice(STREAM.length), query);
      return address ? this.#open(address, response) : sendMessage(response, 404, "There is no such view.");
    }
    // The documentation fills them into its samples.
    if (path === "/console/keys") return sendJson(response, { organisations: this.#options.organisations });
    const address = parseAddress(path.slice("/console".length), query);
    if (address) this.#startReading();
    this.#page ??= buildPage();
    const file = (await this.#page).get(address ? "/console" : path);
    if (!file) return sendMessage(response, 404, "Not found. The console is at /console.");
    response.setHeader("Content-Type", file.contentType).end(file.contents);
  }

  #open(address: Address, response: ServerResponse): void {
    this.#startReading();
    this.#stream.open(response, address);
  }

  /** Reads the table once. Until it has been read, pages show the part that has. */
  #startReading(): void {
    if (this.#read !== "none") return;
    const { dynamodb, tableName, organisations, onFault } = this.#options;
    for (const { orgId } of organisations) {
      if (!this.#board.organisations.get(orgId)) this.#board.organisations.put({ key: orgId });
    }
    if (tableName === undefined) return;
    this.#read = "reading";
    this.#table.read(dynamodb, tableName).then(
      () => {
        this.#read = "done";
        this.#stream.schedule();
      },
      (error: unknown) => {
        this.#read = "none";
        onFault(error);
        // Pages reconnect, which repeats the read.
        this.#stream.close();
      },
    );
  }

  async #act(name: string, message: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await textOf(message);
      if (body === undefined) return sendMessage(response, 413, "The body is too long.");
      const result = await this.#actions.run(name, jsonIn(body));
      if (result === undefined) sendMessage(response, 404, "There is no such action.");
      else sendMessage(response, 200, result);
    } catch (error) {
      if (!(error instanceof ActionRefused)) throw error;
      sendMessage(response, 409, error.message);
    }
  }
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ActionRefused("The body is not JSON.");
  }
}

function sendMessage(response: ServerResponse, status: number, message: string): void {
  response.statusCode = status;
  sendJson(response, { message });
}

function sendJson(response: ServerResponse, value: object): void {
  response.setHeader("Content-Type", "application/json").end(JSON.stringify(value));
}
