import type { NetworkFault, ServiceName } from "./aws/network.ts";
import type { Person, Step, Subscriber } from "./operations.ts";

/**
 * Everything that a seed determines: people and subscribers, the steps and their times, and the frequency of faults.
 */
export interface Story {
  readonly seed: number;
  readonly people: readonly Person[];
  readonly subscribers: readonly Subscriber[];
  readonly steps: readonly Step[];
  /** When faults stop, in ms after the beginning. */
  readonly faultsUntil: number;
  /**
   * The amount that a query of the table reads for one page, in bytes. A smaller page than AWS's has the effect of
   * more parts.
   */
  readonly pageBytes?: number;
  /** Additional times at which DynamoDB removes a share of the expired items, in ms after the beginning. */
  readonly expiries: readonly { readonly at: number; readonly share: number }[];
  /** A service that refuses every request for a while, in ms after the beginning. */
  readonly outage?: { readonly service: ServiceName; readonly from: number; readonly until: number };
  readonly faults: {
    /** The share of requests to AWS that meet a fault. */
    readonly share: number;
    /** The requests, counted from 1, that certainly meet a fault. */
    readonly certain: readonly number[];
    /** Only these exchanges with callers, counted from 1, meet a fault, and no request to AWS does. */
    readonly onlyToCallers?: readonly number[];
    /** Among the requests that write candidates or endpoints, the share whose response is lost. */
    readonly lostWrites: number;
    /** The share of faults that are persistent: the same requests of an environment meet them for a while. */
    readonly sticky: number;
    /** At least one. */
    readonly kinds: readonly NetworkFault[];
    /** The share of invocations in which the environment ends. */
    readonly ends: number;
    /** The share of batches and messages that are delivered twice. */
    readonly repeats: number;
    /** The share of a queue's batches for which Lambda has no execution. */
    readonly throttles: number;
    /** The share of responses that are lost on the way to callers of the API. */
    readonly lostResponses: number;
    /** The share of candidates' events that the code cannot read. */
    readonly unknownEvents: number;
    /** A function whose requests meet more faults than those of others. */
    readonly focus?: {
      readonly functionName: string;
      /** Its only service with these faults; all if absent. */
      readonly service?: ServiceName;
      readonly share: number;
    };
    /** A later time in which faults happen again, in ms after the beginning. */
    readonly again?: { readonly from: number; readonly until: number };
  };
}
