import type { BatchCall } from "./batches.ts";
import type { InjectedFault } from "./fault-injection.ts";
import type { FeedRead, Selection } from "./feed-reader.ts";
import type { Call, FailedInvocation, Post } from "./history.ts";
import type { DamagedRead, DeliveryList, EndpointList, LastRead } from "./last-reads.ts";
import type { Person } from "./operations.ts";
import type { Story } from "./story.ts";
import type { TableWrite } from "./write-history.ts";

/** What is read at the end of a story, when all has come to rest. */
export interface Ending {
  readonly lastReads: readonly LastRead[];
  readonly feeds: readonly DeliveryList[];
  readonly lastLists: readonly EndpointList[];
  /** What a reader received that followed the cursor of each organisation's event feed from the beginning. */
  readonly feedReads: readonly FeedRead[];
  /** What a reader that starts at the oldest event receives at the end. */
  readonly feedRereads: readonly FeedRead[];
  /** What a reader asks for at the end that wants some events only, and what it receives. */
  readonly selection: Selection;
  readonly selected: readonly FeedRead[];
  readonly damagedReads: readonly DamagedRead[];
}

/** The outcome of a story: everything that can be observed, from outside and from inside the service. */
export interface StoryOutcome extends Ending {
  readonly story: Story;
  readonly beginning: number;
  readonly endedAt: number;
  /** Each row of a batch has its own calls, as if it had been created alone. */
  readonly calls: readonly Call[];
  readonly batches: readonly BatchCall[];
  readonly posts: readonly Post[];
  readonly writes: readonly TableWrite[];
  readonly faults: readonly InjectedFault[];
  /** The number of disturbances. It is higher than the number of faults if a fault is persistent. */
  readonly disturbances: number;
  /** The items of the table at the end. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** The bodies of the messages that are left in each queue. */
  readonly messages: ReadonlyMap<string, readonly string[]>;
  /** The bodies of what was parked, before code that can read it put it back. */
  readonly parked: readonly string[];
  /** Invocations that ended with an error. */
  readonly failedInvocations: readonly FailedInvocation[];
  readonly isQuiet: boolean;
  /** Faults of the simulation itself. */
  readonly problems: readonly unknown[];
  /** A person's `stagedId`. */
  readonly handleOf: (person: Person) => string;
}
