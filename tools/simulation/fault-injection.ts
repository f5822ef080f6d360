import type { ExecutionEnvironment } from "./aws/execution-environment.ts";
import type { NetworkFault, ServiceRequest } from "./aws/network.ts";
import { shortName } from "./functions.ts";
import type { Random } from "./random.ts";
import type { Story } from "./story.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** A fault that was injected, as the timeline of a story shows it. */
export interface InjectedFault {
  readonly number: number;
  readonly at: number;
  readonly kind: string;
  readonly where: string;
}

/** What decides about faults. */
export interface FaultDependencies {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly story: Story;
  readonly beginning: number;
  /** The numbers of the faults that are left out. */
  readonly withoutFaults: ReadonlySet<number>;
}

/** What happens to a write whose response is lost. */
const LOST_WRITES: readonly NetworkFault[] = [
  "lost after",
  "lost after",
  "reset after",
  "late",
  "gone after",
];
/**
 * The faults of a batch request or a transaction that only one of several items causes, and their share of its faults.
 */
const OF_MANY: Readonly<Record<string, { readonly kind: NetworkFault; readonly share: number }>> = {
  SendMessageBatch: { kind: "partly refused", share: 0.4 },
  TransactWriteItems: { kind: "conflicts", share: 0.4 },
};
/** How long a persistent fault lasts, in ms, such as a hot partition or a broken route. */
const STICKY_MS = [2_000, 20_000, 60_000];

/** Decides which faults of a story happen, and when. */
export class FaultInjection {
  readonly injected: InjectedFault[] = [];
  /** The number of disturbances. It is higher than the number of faults if a fault is persistent. */
  disturbances = 0;
  /** Whether no more faults happen. */
  isCalm = false;
  readonly #dependencies: FaultDependencies;
  readonly #random: Random;
  /** Requests that meet the same fault repeatedly. */
  readonly #stuck = new Map<string, { readonly kind: NetworkFault; readonly until: number }>();
  #faultCount = 0;
  #exchangeCount = 0;
  #requestCount = 0;
  #isOut = false;

  constructor(dependencies: FaultDependencies) {
    this.#dependencies = dependencies;
    this.#random = dependencies.random;
  }

  /** Whether a fault of the story happens to a caller. */
  happensToCaller(what: string): boolean {
    const { lostResponses, onlyToCallers } = this.#dependencies.story.faults;
    this.#exchangeCount += 1;
    const share = onlyToCallers ? Number(onlyToCallers.includes(this.#exchangeCount)) : lostResponses;
    return this.happens(share, what, "caller");
  }

  /** Whether a fault with the given probability happens. It is numbered, so that it can be left out of another run. */
  happens(share: number, kind: string, where: string): boolean {
    const { clock, story, withoutFaults } = this.#dependencies;
    if (!this.#isFaulty) return false;
    if (story.faults.onlyToCallers && where !== "caller") return false;
    if (!this.#random.chance(share)) return false;
    this.#faultCount += 1;
    if (withoutFaults.has(this.#faultCount)) return false;
    this.injected.push({ number: this.#faultCount, at: clock.now(), kind, where });
    this.disturbances += 1;
    return true;
  }

  /** The fault that a request to AWS meets, if any. */
  ofRequest(environment: ExecutionEnvironment, request: ServiceRequest): NetworkFault | undefined {
    const { service, action } = request;
    const { clock, story } = this.#dependencies;
    const { certain, lostWrites, kinds, sticky } = story.faults;
    this.#requestCount += 1;
    if (this.#isOutage(request)) return "refused";
    const name = `${environment.id} ${service} ${action}`;
    const stuck = this.#stuck.get(name);
    if (stuck && clock.now() < stuck.until) {
      this.disturbances += 1;
      return stuck.kind;
    }
    const isLost = isRecordWrite(request) && this.#random.chance(lostWrites);
    const ofMany = OF_MANY[action];
    const isOfMany = ofMany !== undefined && this.#random.chance(ofMany.share);
    const kind = isOfMany ? ofMany.kind : this.#random.pick(isLost ? LOST_WRITES : kinds);
    const isCertain = isLost || certain.includes(this.#requestCount);
    if (!this.happens(isCertain ? 1 : this.#shareOf(environment, request), kind, name)) return undefined;
    if (this.#random.chance(sticky)) {
      this.#stuck.set(name, { kind, until: clock.now() + this.#random.pick(STICKY_MS) });
    }
    return kind;
  }

  /** Whether faults happen at this time of the story. */
  get #isFaulty(): boolean {
    if (this.isCalm) return false;
    const { faultsUntil, faults } = this.#dependencies.story;
    return this.#elapsed < faultsUntil || this.#isWithin(faults.again);
  }

  get #elapsed(): number {
    const { clock, beginning } = this.#dependencies;
    return clock.now() - beginning;
  }

  #isWithin(period: { readonly from: number; readonly until: number } | undefined): boolean {
    return period !== undefined && this.#elapsed >= period.from && this.#elapsed < period.until;
  }

  #isOutage({ service }: ServiceRequest): boolean {
    const { clock, story } = this.#dependencies;
    if (story.outage?.service !== service || !this.#isWithin(story.outage)) return false;
    if (!this.#isOut) this.injected.push({ number: 0, at: clock.now(), kind: "outage", where: service });
    this.#isOut = true;
    this.disturbances += 1;
    return true;
  }

  /** The share of such requests that meet a fault. */
  #shareOf({ id }: ExecutionEnvironment, { service }: ServiceRequest): number {
    const { focus, share } = this.#dependencies.story.faults;
    const isInFocus =
      focus !== undefined &&
      shortName(id).startsWith(`${focus.functionName}#`) &&
      (focus.service ?? service) === service;
    return isInFocus ? focus.share : share;
  }
}

/** Whether a request writes a candidate, a part of a candidate, or an endpoint. */
function isRecordWrite({ service, action, input }: ServiceRequest): boolean {
  if (service !== "dynamodb") return false;
  if (action === "TransactWriteItems") return true;
  if (action !== "PutItem" && action !== "UpdateItem") return false;
  const { Item, Key } = input as { Item?: { pk?: { S?: string } }; Key?: { pk?: { S?: string } } };
  return /^(?:CANDIDATE|ENDPOINTS)#/.test((Item ?? Key)?.pk?.S ?? "");
}
