import type { EventType } from "#contract/events";
import type { PlatformTransition } from "#contract/platform-transition";

/** A candidate of a story: the organisation that owns it, and the organisation's identifier for it. */
export interface Person {
  readonly orgId: string;
  readonly externalId: string;
}

/** How the receiver of a webhook endpoint behaves. */
export interface Behaviour {
  readonly kind:
    | "takes all"
    | "hangs"
    | "fails"
    | "unavailable"
    | "gone"
    | "redirects"
    | "flaky"
    | "loses its responses"
    | "slow";
  /** When this behaviour begins, in ms after the beginning of the story. */
  readonly from: number;
  /** When the receiver works again, in ms after the beginning of the story. */
  readonly until: number;
}

/** An endpoint of a story, registered or not. */
export interface Subscriber {
  readonly orgId: string;
  readonly url: string;
  readonly behaviour: Behaviour;
}

/** The members that a story amends. Each value contains the number of the step that sent it. */
export const AMENDED = [
  "headline",
  "summary",
  "firstName",
  "phone",
  "skills",
  "documents",
  "assessments",
  "consents",
] as const;
/** The members that no read returns. */
export const HIDDEN: ReadonlySet<Amended> = new Set(["phone", "consents"]);
export type Amended = (typeof AMENDED)[number];

/** The values that an emptying amend sets. The first name is not emptied, because it identifies the sender. */
export const EMPTIED: Readonly<Partial<Record<Amended, "" | readonly []>>> = {
  headline: "",
  summary: "",
  phone: "",
  skills: [],
  documents: [],
  assessments: [],
  consents: [],
};

/** The kind of handle with which a step identifies its person. */
export type HandleKind = "stagedId" | "id";

/** A candidate of a batch. */
export interface Row {
  readonly person: number;
  readonly isLarge: boolean;
  /** Whether it violates the contract, so that it must be refused. */
  readonly isInvalid?: true;
}

/** What a client of the service does. Numbers are indexes of the story's people and subscribers. */
export type Operation =
  | ({ readonly name: "create" } & Row)
  /** Of people of one organisation, some of them perhaps twice. */
  | { readonly name: "createBatch"; readonly rows: readonly Row[] }
  | {
      readonly name: "amend";
      readonly person: number;
      readonly by: HandleKind;
      readonly members: readonly Amended[];
      readonly isLarge: boolean;
      readonly consentGiven?: boolean;
      readonly ifMatch?: "last seen";
      /** Of documents, only one that nobody is shown. */
      readonly onlySensitive?: true;
      /** Empties its members, as {@link EMPTIED} has them. */
      readonly isEmptying?: true;
      /** Breaks the contract, so that it must be refused. */
      readonly isInvalid?: true;
    }
  | { readonly name: "get"; readonly person: number; readonly by: HandleKind }
  | { readonly name: "find"; readonly person: number }
  | {
      readonly name: "advance";
      readonly person: number;
      readonly transition: PlatformTransition;
      /** Of a failed validation: what is wrong with what, the first word being its code. */
      readonly reason?: string;
      /** As many reasons as the contract has room for, as long as it allows. */
      readonly isLong?: true;
    }
  | { readonly name: "amendNothing"; readonly person: number; readonly ifMatch: "last seen" }
  | { readonly name: "score"; readonly person: number; readonly score: number | null }
  | {
      readonly name: "assess";
      readonly person: number;
      readonly result: string;
      readonly provider: "proctor" | "partner";
      readonly title: string;
      /** As long as the contract allows. */
      readonly isLarge?: true;
    }
  | { readonly name: "requestErasure"; readonly person: number }
  | { readonly name: "register"; readonly subscriber: number; readonly eventTypes: readonly EventType[] }
  | {
      readonly name: "update";
      readonly subscriber: number;
      readonly active?: boolean;
      /** To another address of the subscriber, at which all is taken. */
      readonly isMoved?: true;
      readonly eventTypes?: readonly EventType[];
    }
  | { readonly name: "delete"; readonly subscriber: number }
  | { readonly name: "rotateSecret"; readonly subscriber: number }
  | { readonly name: "test"; readonly subscriber: number }
  /** The delivery that was attempted last, or an earlier one, by how many events. */
  | { readonly name: "resend"; readonly subscriber: number; readonly back: number }
  | {
      readonly name: "recover";
      readonly subscriber: number;
      /** All since the beginning, the last seconds, or what was missed because the endpoint was inactive. */
      readonly since: "beginning" | "recently" | "inactivity";
      /** Without the last seconds. */
      readonly isPast?: true;
      readonly eventTypes?: readonly EventType[];
    }
  | { readonly name: "redrive"; readonly queue: "deliveries" | "events" | "sweeps" }
  /** Another organisation uses a handle, or an endpoint's id, that is not its own. */
  | { readonly name: "intrude"; readonly person: number; readonly with: "get" | "amend" | "requestErasure" }
  | { readonly name: "rotateKeyring" }
  | { readonly name: "reseal" };

/** An operation, and its time in ms after the beginning of the story. */
export type TimedOperation = readonly [at: number, operation: Operation];

/** An operation of a story, and when it begins, in ms after the story's beginning. */
export interface Step {
  /** Counts the steps of the whole story, also where some are left out. */
  readonly number: number;
  readonly at: number;
  /** After how long its caller sends the same request again, with a response or without, in ms. */
  readonly again?: number;
  readonly operation: Operation;
}
