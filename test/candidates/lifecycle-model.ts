import fc from "fast-check";
import type { EventType } from "#contract/events";
import { PLATFORM_TRANSITIONS, type PlatformTransition } from "#contract/platform-transition";
import { after, ENTERING, expectedEffect, type Statuses } from "./expected-lifecycle.ts";

/** What may be done to a candidate, by partner or platform. */
export type Step =
  | { readonly do: "create" }
  | { readonly do: "move"; readonly transition: PlatformTransition; readonly reason: string }
  | { readonly do: "score"; readonly score: number | null }
  | { readonly do: "amend"; readonly headline?: string; readonly consentGiven?: boolean };

export const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ do: "create" } as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("move" as const),
      transition: fc.constantFrom(...PLATFORM_TRANSITIONS),
      reason: fc.constantFrom("unreadable", "expired"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(0, 50, 100, null).map((score) => ({ do: "score", score }) as const),
  },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        do: fc.constant("amend" as const),
        headline: fc.constantFrom("one", "two"),
        consentGiven: fc.boolean(),
      },
      { requiredKeys: ["do"] },
    ),
  },
);

/** An event as the model foretells it. */
export interface ForetoldEvent {
  readonly type: EventType;
  readonly sequence: number;
  readonly promoted: boolean;
  readonly statuses: Statuses;
}

/** How a step ends: it changed something, it did not, or it was refused with an error code. */
export type StepResult = "changed" | "unchanged" | "not_found" | "consent_revoked" | "invalid_request";

/** One candidate as the decisions describe it, in the plainest way there is. */
export class LifecycleModel {
  statuses: Statuses | undefined;
  promoted = false;
  headline: string | undefined;
  score: number | null = null;
  readonly events: ForetoldEvent[] = [];
  #sequence = 0;
  #beforeRevocation: Statuses | undefined;
  #lastReason: string | undefined;

  constructor(initialHeadline: string) {
    this.#initialHeadline = initialHeadline;
  }
  readonly #initialHeadline: string;

  /** What a read by the integrator comes to. */
  read(handle: "staged" | "canonical"): "found" | "not_found" | "consent_revoked" {
    if (!this.statuses || this.statuses.status === "erased") return "not_found";
    if (handle === "canonical" && !this.promoted) return "not_found";
    return this.statuses.status === "consent_revoked" ? "consent_revoked" : "found";
  }

  apply(step: Step): StepResult {
    switch (step.do) {
      case "create":
        return this.#create();
      case "move":
        return this.#move(step);
      case "score":
        return this.#setScore(step.score);
      case "amend":
        return this.#amend(step);
    }
  }

  #create(): StepResult {
    if (this.statuses && this.statuses.status !== "erased") return "unchanged";
    this.#lastReason = undefined;
    this.promoted = false;
    this.headline = this.#initialHeadline;
    this.score = null;
    this.#become(ENTERING, "candidate.received");
    return "changed";
  }

  #move({ transition, reason }: Extract<Step, { do: "move" }>): StepResult {
    if (!this.statuses) return "not_found";
    const row = expectedEffect(transition, this.statuses, { reasonsRepeat: reason === this.#lastReason });
    if (row === "in effect") return "unchanged";
    if (row === "refused") return "invalid_request";
    if (row.status === "promoted" && row.event === "candidate.promoted") this.promoted = true;
    if (row.status === "validation_failed") this.#lastReason = reason;
    if (row.status === "consent_revoked") this.#beforeRevocation = this.statuses;
    this.#become(after(row, this.statuses), row.event);
    return "changed";
  }

  #setScore(score: number | null): StepResult {
    const readable = this.read("staged");
    if (readable !== "found") return readable;
    if (this.score === score) return "unchanged";
    this.score = score;
    return "changed";
  }

  #amend({ headline, consentGiven }: Extract<Step, { do: "amend" }>): StepResult {
    const readable = this.read("staged");
    if (readable === "not_found") return readable;
    if (readable === "consent_revoked" && consentGiven !== true) return readable;
    if (headline === undefined && consentGiven === undefined) return "unchanged";
    if (headline !== undefined) this.headline = headline;
    if (consentGiven === true && this.#beforeRevocation) {
      const { status, availability } = this.#beforeRevocation;
      this.#become({ ...(this.statuses ?? ENTERING), status, availability }, "candidate.consent_restored");
      this.#beforeRevocation = undefined;
    }
    if (consentGiven === false && this.statuses) {
      this.#beforeRevocation = this.statuses;
      this.#become(
        { ...this.statuses, status: "consent_revoked", availability: "pending" },
        "candidate.consent_revoked",
      );
    }
    return "changed";
  }

  #become(statuses: Statuses, type: EventType): void {
    this.statuses = statuses;
    if (statuses.status === "erased") this.#beforeRevocation = undefined;
    this.#sequence += 1;
    this.events.push({ type, sequence: this.#sequence, promoted: this.promoted, statuses });
  }
}
