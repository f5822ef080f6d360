import { canonicalIdOf } from "#candidates/handles";
import type { CreateStep } from "./batches.ts";
import type { Callers } from "./callers.ts";
import type { Post, Response } from "./history.ts";
import type { HandleKind, Operation, Person, Step } from "./operations.ts";
import {
  amendmentOf,
  markOf,
  platformAssessmentOf,
  type Request,
  reasonsOf,
  submissionOf,
} from "./requests.ts";
import type { Story } from "./story.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** How far back a recovery of the last events begins, in ms. */
const RECENTLY_MS = 10_000;
/** How long before the beginning of the story a recovery of all events begins, in ms. */
const BEFORE_ALL_MS = 1_000;

interface Dependencies {
  readonly story: Story;
  readonly callers: Callers;
  readonly clock: VirtualClock;
  readonly beginning: number;
  /** What receivers have seen so far: only an event that was posted can be resent. */
  readonly posts: readonly Post[];
}

/** The requests of a story's steps, with what callers know from earlier responses: endpoints' ids and ETags. */
export class StepRequests {
  readonly #dependencies: Dependencies;
  readonly #endpoints = new Map<number, string>();
  readonly #etags = new Map<number, string>();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** The newest endpoint of each subscriber, from the response to its registration. */
  get endpoints(): ReadonlyMap<number, string> {
    return this.#endpoints;
  }

  /** @returns undefined when the step has nothing to work with yet */
  of(step: Step): Request | undefined {
    const { operation } = step;
    if ("person" in operation) return this.#aboutPerson(this.#person(operation.person), step);
    if ("subscriber" in operation) return this.#aboutEndpoint(step);
    switch (operation.name) {
      case "redrive":
        return privately("redrive-dead-letters", { queue: operation.queue });
      case "rotateKeyring":
        return privately("rotate-keyring", {});
      case "reseal":
        return privately("reseal-signing-secrets", {});
      default:
        return undefined;
    }
  }

  /** The request with the rows of a batch, all of one organisation. */
  ofBatch(rows: readonly CreateStep[]): Request {
    const people = rows.map(({ operation }) => this.#person(operation.person));
    const candidates = rows.map((row, index) => submissionOf(people[index] as Person, row, row.operation));
    return this.#dependencies.callers.request(people[0]?.orgId ?? "", "create-candidate-batch", {
      body: { candidates },
    });
  }

  /** Stores the parts of a response that later steps need. */
  learn({ operation }: Step, { status, headers, body }: Response): void {
    if (status >= 300) return;
    if (operation.name === "register") this.#endpoints.set(operation.subscriber, (body as { id: string }).id);
    if ("person" in operation && headers["ETag"]) this.#etags.set(operation.person, headers["ETag"]);
  }

  #person(index: number): Person {
    return this.#dependencies.story.people[index] as Person;
  }

  #aboutPerson(person: Person, step: Step): Request | undefined {
    const { operation } = step;
    const { orgId, externalId } = person;
    const { callers } = this.#dependencies;
    const stagedId = callers.stagedIdOf(person);
    const named = (by: HandleKind) =>
      by === "id" ? canonicalIdOf(stagedId.replace("staged_", "")) : stagedId;
    const advanced = (transition: string, details: object = {}) =>
      privately("advance-candidate", { orgId, handle: stagedId, transition, ...details });
    switch (operation.name) {
      case "create":
        return callers.request(orgId, "create-candidate", { body: submissionOf(person, step, operation) });
      case "amend": {
        const etag = operation.ifMatch && this.#etags.get(operation.person);
        return callers.request(orgId, "amend-candidate", {
          id: named(operation.by),
          body: amendmentOf(person, step, operation),
          ...(etag && { headers: { "If-Match": etag } }),
        });
      }
      case "amendNothing": {
        const etag = this.#etags.get(operation.person);
        if (etag === undefined) return undefined;
        return callers.request(orgId, "amend-candidate", {
          id: stagedId,
          body: {},
          headers: { "If-Match": etag },
        });
      }
      case "get":
        return callers.request(orgId, "get-candidate", { id: named(operation.by) });
      case "find":
        return callers.request(orgId, "find-candidate", { query: { externalId } });
      case "requestErasure":
        return callers.request(orgId, "request-erasure", { id: stagedId, body: { externalId } });
      case "advance": {
        const { transition, reason, isLong = false } = operation;
        return advanced(transition, reason ? { reasons: reasonsOf(reason, isLong) } : {});
      }
      case "intrude":
        return this.#intrusion(operation.with, stagedId, person, step);
      case "score":
        return advanced("score", { score: operation.score });
      case "assess":
        return advanced("assess", { assessment: platformAssessmentOf(operation) });
      default:
        return undefined;
    }
  }

  /** What the other organisation requests about a person. */
  #intrusion(kind: "get" | "amend" | "requestErasure", id: string, person: Person, step: Step): Request {
    const stranger = person.orgId === "acme" ? "globex" : "acme";
    const { callers } = this.#dependencies;
    switch (kind) {
      case "get":
        return callers.request(stranger, "get-candidate", { id });
      case "amend":
        return callers.request(stranger, "amend-candidate", {
          id,
          body: { headline: `${markOf(person, step)}headline` },
        });
      case "requestErasure":
        return callers.request(stranger, "request-erasure", { id, body: { externalId: person.externalId } });
    }
  }

  #aboutEndpoint({ operation, number }: Step): Request | undefined {
    if (!("subscriber" in operation)) return undefined;
    const { story, callers } = this.#dependencies;
    const { orgId, url } = story.subscribers[operation.subscriber] as Story["subscribers"][number];
    if (operation.name === "register") {
      const { eventTypes } = operation;
      return callers.request(orgId, "create-webhook-endpoint", {
        body: { url, eventTypes, description: `step ${number}` },
      });
    }
    const id = this.#endpoints.get(operation.subscriber);
    if (id === undefined) return undefined;
    switch (operation.name) {
      case "update":
        return callers.request(orgId, "update-webhook-endpoint", {
          id,
          body: {
            ...(operation.active !== undefined && { active: operation.active }),
            ...(operation.isMoved && { url: `${url}?moved` }),
            ...(operation.eventTypes && { eventTypes: operation.eventTypes }),
          },
        });
      case "delete":
        return callers.request(orgId, "delete-webhook-endpoint", { id });
      case "rotateSecret":
        return callers.request(orgId, "rotate-signing-secret", { id });
      case "test":
        return callers.request(orgId, "test-webhook-endpoint", { id });
      case "recover":
        return this.#recovery(orgId, id, operation);
      case "resend": {
        const eventId = this.#eventsPostedTo(url).at(-1 - operation.back);
        if (eventId === undefined) return undefined;
        return callers.request(orgId, "resend-webhook-delivery", { id, eventId });
      }
    }
  }

  #recovery(
    orgId: string,
    id: string,
    { since, isPast, eventTypes }: Extract<Operation, { name: "recover" }>,
  ): Request {
    const { callers, clock, beginning } = this.#dependencies;
    const recently = clock.now() - RECENTLY_MS;
    const period = {
      ...(isPast && { until: new Date(recently + RECENTLY_MS / 2).toISOString() }),
      ...(eventTypes && { eventTypes }),
    };
    if (since === "inactivity") return privately("recover-deliveries", { orgId, endpointId: id, ...period });
    const from = since === "beginning" ? beginning - BEFORE_ALL_MS : recently;
    return callers.request(orgId, "start-recovery", {
      id,
      body: { since: new Date(from).toISOString(), ...period },
    });
  }

  /** The ids of the events in the order of their first attempts at an address. */
  #eventsPostedTo(url: string): string[] {
    const posts = this.#dependencies.posts.filter((post) => post.url === url);
    return [...new Set(posts.flatMap(({ headers }) => headers["X-RR-Event-Id"] ?? []))];
  }
}

function privately(functionName: string, event: unknown): Request {
  return { functionName, event, isOfApi: false };
}
