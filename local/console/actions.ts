import * as z from "zod/mini";
import { CandidateServiceClient } from "../../client/src/client.ts";
import { CandidateServiceError } from "../../client/src/error.ts";
import { InvalidRequest } from "../../lib/contract/errors.ts";
import { EVENT_TYPES } from "../../lib/contract/events.ts";
import { OrgId } from "../../lib/contract/organisation.ts";
import { parse } from "../../lib/contract/parse.ts";
import { object, oneOf, text } from "../../lib/contract/values.ts";
import type { LocalFunction } from "../lambda/local-function.ts";
import type { Board } from "./board.ts";
import type { Inboxes } from "./inboxes.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import { INBOX_RESPONSES } from "./page-data.ts";
import { aSampleCandidate } from "./sample-candidate.ts";

/** A refused request of a button, with a message for the developer. */
export class ActionRefused extends Error {
  override readonly name = "ActionRefused";
}

export interface ActionsOptions {
  readonly board: Board;
  readonly inboxes: Inboxes;
  readonly secrets: KnownSecrets;
  readonly baseUrl: string;
  /** The initial organisations of the local stack. */
  readonly organisations: readonly {
    readonly orgId: string;
    readonly name: string;
    readonly apiKey: string;
  }[];
  functions(): Iterable<LocalFunction>;
}

const OfOrganisation = object({ orgId: OrgId });
const ResponseOfInbox = object({ inbox: text(1, 100), response: oneOf(INBOX_RESPONSES) });
/** What messages call the input as a whole. */
const BODY = "The body";
const FunctionFailure = z.object({ errorMessage: z.string() });
const IssuedKey = z.object({ apiKey: z.string() });
const Changed = z.object({ changed: z.boolean() });
const StartedRecovery = z.object({ since: z.string() });

/** The actions of the page's buttons. Each takes a JSON body and returns a message about the result. */
export class Actions {
  readonly #options: ActionsOptions;
  /** By organisation. */
  readonly #keys: Map<string, Promise<string>>;
  /** By organisation, while it lasts. */
  readonly #registrations = new Map<string, Promise<string>>();

  constructor(options: ActionsOptions) {
    this.#options = options;
    this.#keys = new Map(options.organisations.map(({ orgId, apiKey }) => [orgId, Promise.resolve(apiKey)]));
  }

  /**
   * @returns a message for the developer, or undefined if there is no such action
   * @throws ActionRefused if it is not possible now
   */
  async run(name: string, input: unknown): Promise<string | undefined> {
    try {
      switch (name) {
        case "advance-candidate":
          return await this.#advanceCandidate(input);
        case "create-candidate":
          return await this.#createCandidate(parse(OfOrganisation, input, BODY));
        case "recover-missed":
          return await this.#recoverMissed(input);
        case "redeliver-event":
          return await this.#redeliverEvent(input);
        case "register-inbox":
          return await this.#registerInbox(parse(OfOrganisation, input, BODY));
        case "set-inbox-response":
          return this.#setInboxResponse(parse(ResponseOfInbox, input, BODY));
        default:
          return undefined;
      }
    } catch (error) {
      const isRefusal = error instanceof InvalidRequest || error instanceof CandidateServiceError;
      throw isRefusal ? new ActionRefused(error.message, { cause: error }) : error;
    }
  }

  /** The private function validates the input. */
  async #advanceCandidate(input: unknown): Promise<string> {
    const { changed } = Changed.parse(await this.#invoke("advance-candidate", input));
    return changed ? "Done." : "Nothing changed: the candidate was already in this state.";
  }

  async #createCandidate({ orgId }: z.infer<typeof OfOrganisation>): Promise<string> {
    const { externalId } = await this.#withKey(orgId, (client) => client.createCandidate(aSampleCandidate()));
    return `Created ${externalId}.`;
  }

  /** Sends an endpoint what it has missed because it was inactive. The private function validates the input. */
  async #recoverMissed(input: unknown): Promise<string> {
    const started = z.nullable(StartedRecovery).parse(await this.#invoke("recover-deliveries", input));
    return started
      ? `The endpoint gets the events since ${started.since} that it has not acknowledged.`
      : "The endpoint has missed no events.";
  }

  /** The private function validates the input. */
  async #redeliverEvent(input: unknown): Promise<string> {
    await this.#invoke("redeliver-event", input);
    return "The delivery is sent again, from its first attempt.";
  }

  /** Registers the organisation's inbox, or activates it again after a 410; once, if it is asked twice at a time. */
  #registerInbox({ orgId }: z.infer<typeof OfOrganisation>): Promise<string> {
    const registration =
      this.#registrations.get(orgId) ??
      this.#withKey(orgId, (client) => this.#registeredInbox(orgId, client)).finally(() =>
        this.#registrations.delete(orgId),
      );
    this.#registrations.set(orgId, registration);
    return registration;
  }

  async #registeredInbox(orgId: string, client: CandidateServiceClient): Promise<string> {
    const { board, inboxes, secrets } = this.#options;
    const url = inboxes.urlOf(orgId);
    const endpoints = await client.listWebhookEndpoints();
    const registered = endpoints.find(({ id }) => secrets.inboxOf(id) === orgId);
    const other = endpoints.find((endpoint) => endpoint.url === url);
    if (!registered && other) {
      throw new ActionRefused(
        `The endpoint ${other.id} already has the inbox's URL, and the console has no secret to verify its deliveries. Delete it first.`,
      );
    }
    if (!board.inboxes.get(orgId) || !registered?.active) inboxes.setResponse(orgId, "200");
    if (registered?.active && registered.url === url) return "The inbox is already registered.";
    if (registered) {
      // After a start with another PORT, its URL is different too.
      await client.updateWebhookEndpoint(registered.id, { active: true, url });
      return "The inbox is active again. Recover the events that it missed.";
    }
    const { id, signingSecret } = await client.createWebhookEndpoint({
      url,
      eventTypes: [...EVENT_TYPES],
      description: "The inbox of the local console",
    });
    secrets.add(id, { inbox: orgId, signingSecret });
    // The stream may have shown the endpoint before its secret was stored.
    const shown = board.endpoints.get(id);
    if (shown) board.endpoints.put({ ...shown, inbox: orgId });
    return "The inbox is registered for every event.";
  }

  #setInboxResponse({ inbox, response }: z.infer<typeof ResponseOfInbox>): string {
    const { board, inboxes } = this.#options;
    if (!board.inboxes.get(inbox)) throw new ActionRefused("There is no such inbox.");
    inboxes.setResponse(inbox, response);
    return response === "hang" ? "The inbox never responds." : `The inbox responds with ${response}.`;
  }

  /** Calls the API, once more with another key if the organisation's was revoked. */
  async #withKey<Result>(
    orgId: string,
    call: (client: CandidateServiceClient) => Promise<Result>,
  ): Promise<Result> {
    const callWithKey = async () => {
      const apiKey = await this.#keyOf(orgId);
      return call(new CandidateServiceClient({ baseUrl: this.#options.baseUrl, apiKey, retries: 0 }));
    };
    try {
      return await callWithKey();
    } catch (error) {
      if (!(error instanceof CandidateServiceError) || error.code !== "unauthorized") throw error;
      this.#keys.delete(orgId);
      return callWithKey();
    }
  }

  /** The organisation's key. One that a developer created in addition to the initial ones is issued a key. */
  #keyOf(orgId: string): Promise<string> {
    const key =
      this.#keys.get(orgId) ??
      this.#invoke("issue-api-key", { orgId, name: "local console" }).then(
        (response) => IssuedKey.parse(response).apiKey,
      );
    this.#keys.set(orgId, key);
    key.catch(() => this.#keys.delete(orgId));
    return key;
  }

  async #invoke(name: string, input: unknown): Promise<unknown> {
    const found = [...this.#options.functions()].find(({ definition }) =>
      definition.name.endsWith(`-${name}`),
    );
    if (!found) throw new ActionRefused(`The stack has no function ${name}.`);
    const { payload, functionError } = await found.invoke(JSON.stringify(input));
    if (functionError) throw new ActionRefused(FunctionFailure.parse(JSON.parse(payload)).errorMessage);
    return JSON.parse(payload);
  }
}
