import { setTimeout as delay } from "node:timers/promises";
import { EVENT_TYPES } from "#contract/events";
import { type AmendmentBody, aSubmission, documentsOf, type SubmissionBody } from "../builders/submission.ts";
import type { History, Promised, ReadResult } from "./invariants.ts";

interface PartnerOptions {
  /** The service as it runs now: another one after each start. */
  readonly service: () => { readonly baseUrl: string; readonly apiKey: string };
  readonly random: () => number;
}

/** Longer than any response of the service takes, in ms: API Gateway waits for 29 s. */
const RESPONSE_TIMEOUT_MS = 35_000;
/** Between two attempts, in ms. */
const SHORTEST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 400;

/**
 * A partner that syncs candidates, repeats every call until the service has decided it, and keeps what it is promised.
 */
export class Partner {
  readonly candidates: Promised[] = [];
  readonly refused: string[] = [];
  readonly #options: PartnerOptions;
  readonly #apiKey: string;

  constructor(options: PartnerOptions) {
    this.#options = options;
    this.#apiKey = options.service().apiKey;
  }

  async subscribe(url: string): Promise<void> {
    await this.#call(201, "POST", "/v1/webhook-endpoints", { url, eventTypes: EVENT_TYPES });
  }

  /** Creates a candidate, and does with it what its number stands for. */
  async syncs(number: number): Promise<void> {
    const submission = aSubmission(number % 200 === 99 ? { documents: documentsOf(400_000) } : {});
    const candidate: Promised = {
      externalId: submission.externalId,
      stagedIds: [],
      members: {},
      events: ["candidate.received"],
      frozen: false,
    };
    switch (number % 10) {
      case 0:
        await this.#creates(candidate, submission);
        await Promise.all([
          this.#amends(candidate, { headline: `headline of ${number}` }),
          this.#amends(candidate, { summary: `summary of ${number}` }),
          this.#amends(candidate, { middleName: `middle name of ${number}` }),
        ]);
        break;
      case 1:
        await this.#creates(candidate, submission);
        for (const headline of ["first", "second", "third", "last"]) {
          await this.#amends(candidate, { headline: `${headline} headline of ${number}` });
        }
        break;
      case 2:
        await this.#creates(candidate, submission);
        await this.#withdrawsConsent(candidate);
        if (number % 20 === 2) await this.#restoresConsent(candidate);
        break;
      case 3:
        await this.#isRefused(candidate, submission);
        break;
      case 4:
        await this.#creates(candidate, submission);
        await this.#creates(candidate, submission);
        break;
      case 5:
        await Promise.all([this.#creates(candidate, submission), this.#creates(candidate, submission)]);
        break;
      default:
        await this.#creates(candidate, submission);
    }
    this.candidates.push(candidate);
  }

  /** Reads every candidate by both of its names, and the `externalId` of each refused create. */
  async readsEverything(): Promise<Pick<History, "byHandle" | "byExternalId" | "firstKeyOpens">> {
    const byHandle = new Map<string, ReadResult>();
    const byExternalId = new Map<string, ReadResult>();
    const find = async (externalId: string) =>
      byExternalId.set(externalId, await this.#read(`?externalId=${externalId}`));
    const queue = this.candidates.values();
    const lane = async () => {
      for (const { externalId, stagedIds } of queue) {
        for (const stagedId of new Set(stagedIds)) byHandle.set(stagedId, await this.#read(`/${stagedId}`));
        await find(externalId);
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    for (const text of this.refused) await find(text);
    const firstKeyOpens = [...byHandle.values()].some(({ status }) => status === 200);
    return { byHandle, byExternalId, firstKeyOpens };
  }

  async #creates({ stagedIds }: Promised, submission: SubmissionBody): Promise<void> {
    const { body } = await this.#call(201, "POST", "/v1/candidates", submission);
    stagedIds.push(String(body["stagedId"]));
  }

  async #amends(candidate: Promised, amendment: AmendmentBody): Promise<void> {
    await this.#call(200, "PUT", pathOf(candidate), amendment);
    Object.assign(candidate.members, amendment);
  }

  async #withdrawsConsent(candidate: Promised): Promise<void> {
    // A repeat of what was done already is 404 consent_revoked.
    await this.#call([200, 404], "PUT", pathOf(candidate), { consentGiven: false });
    candidate.events.push("candidate.consent_revoked");
    candidate.frozen = true;
  }

  async #restoresConsent(candidate: Promised): Promise<void> {
    await this.#call(200, "PUT", pathOf(candidate), { consentGiven: true });
    candidate.events.push("candidate.consent_restored");
    candidate.frozen = false;
  }

  /** A create and an amend with a member that the contract does not have. */
  async #isRefused(candidate: Promised, submission: SubmissionBody): Promise<void> {
    const externalId = `refused-${submission.externalId}`;
    const headline = `refused headline of ${submission.externalId}`;
    await this.#call(400, "POST", "/v1/candidates", { ...submission, externalId, nickname: "Ada" });
    await this.#creates(candidate, submission);
    await this.#call(400, "PUT", pathOf(candidate), { headline, nickname: "Ada" });
    this.refused.push(externalId, headline);
  }

  async #read(path: string): Promise<ReadResult> {
    return this.#call([200, 404], "GET", `/v1/candidates${path}`);
  }

  /** Repeats a call for as long as the network or the service fails. */
  async #call(
    expected: number | readonly number[],
    method: string,
    path: string,
    body?: object,
  ): Promise<ReadResult> {
    for (;;) {
      const response = await this.#attempt(method, path, body);
      if (response && [expected].flat().includes(response.status)) return response;
      if (response && response.status < 500 && response.status !== 429) {
        throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
      }
      await delay(SHORTEST_WAIT_MS + this.#options.random() * (LONGEST_WAIT_MS - SHORTEST_WAIT_MS));
    }
  }

  /** @returns undefined when no response arrived */
  async #attempt(method: string, path: string, body?: object): Promise<ReadResult | undefined> {
    try {
      const response = await fetch(`${this.#options.service().baseUrl}${path}`, {
        method,
        headers: { "X-API-Key": this.#apiKey, "Content-Type": "application/json" },
        signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as ReadResult["body"] };
    } catch {
      return undefined;
    }
  }
}

function pathOf({ stagedIds }: Promised): string {
  return `/v1/candidates/${stagedIds[0]}`;
}
