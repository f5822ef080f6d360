import { Heap } from "./heap.ts";
import { isBefore, type Message } from "./message.ts";

// Amazon SQS developer guide, "How Amazon SQS fair queues work": how a noisy neighbour is detected, and for how long
// it remains one.
const NOISY_SHARE = 0.1;
const NOISY_IN_FLIGHT = 30;
const QUIET_AFTER_MS = 5 * 60_000;
/** The period over which processing time is averaged, in ms. The guide says "recent" without a number. */
const RECENT_MS = 60_000;

/** Messages in flight: the number now, and the recent average, which measures their processing time. */
class Flight {
  count = 0;
  #average = 0;
  #since = 0;

  change(by: 1 | -1, now: number): void {
    this.#average = this.recent(now);
    this.#since = now;
    this.count += by;
  }

  recent(now: number): number {
    const kept = Math.exp(-Math.max(0, now - this.#since) / RECENT_MS);
    return this.count + (this.#average - this.count) * kept;
  }
}

/** The tenant of one MessageGroupId. */
class Tenant {
  readonly waiting = new Heap<Message>(isBefore);
  readonly flight = new Flight();
  lastSentAt = Number.NEGATIVE_INFINITY;
}

/**
 * The visible messages of a queue. Those of quiet tenants come before those of noisy neighbours; otherwise the oldest
 * is first (Amazon SQS developer guide, "Amazon SQS fair queues").
 *
 * A message without a group is its own tenant, whose backlog is empty once the message is received. It is therefore
 * never noisy, and all such messages share one heap.
 */
export class FairBacklog {
  readonly #ungrouped = new Tenant();
  readonly #tenants = new Map<string, Tenant>();
  /** The tenants with waiting messages, ordered by their first message. */
  readonly #waiting = new Heap<Tenant>(waitsLonger);
  readonly #flight = new Flight();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get inFlight(): number {
    return this.#flight.count;
  }

  /** The message that has been visible for the longest time. */
  get oldest(): Message | undefined {
    return this.#waiting.first?.waiting.first;
  }

  add(message: Message): void {
    this.#change(message, (waiting) => waiting.add(message));
    this.#size += 1;
  }

  remove(message: Message): void {
    this.#change(message, (waiting) => waiting.remove(message));
    this.#size -= 1;
  }

  /** Adds a message that arrived in the queue. */
  arrived(message: Message): void {
    const tenant = this.#tenantOf(message);
    tenant.lastSentAt = Math.max(tenant.lastSentAt, message.sentAt);
  }

  /** Records that a message is now in flight (1), or no longer (-1). */
  changeFlight(message: Message, by: 1 | -1, now: number): void {
    this.#flight.change(by, now);
    this.#tenantOf(message).flight.change(by, now);
  }

  /** The message to receive next. */
  next(now: number): Message | undefined {
    // Only a few tenants can have more than a tenth each.
    const noisy: Tenant[] = [];
    let { first } = this.#waiting;
    for (; first && this.#isNoisy(first, now); { first } = this.#waiting) {
      this.#waiting.remove(first);
      noisy.push(first);
    }
    for (const tenant of noisy) this.#waiting.add(tenant);
    // Of several noisy tenants, the one with the fewest messages in flight is first; otherwise the oldest message.
    noisy.sort((left, right) => left.flight.count - right.flight.count);
    return (first ?? noisy[0])?.waiting.first;
  }

  #isNoisy(tenant: Tenant, now: number): boolean {
    const { flight, lastSentAt } = tenant;
    if (tenant === this.#ungrouped || now - lastSentAt >= QUIET_AFTER_MS) return false;
    const holdsMuch = flight.count >= NOISY_IN_FLIGHT && flight.count > NOISY_SHARE * this.#flight.count;
    return holdsMuch || flight.recent(now) > NOISY_SHARE * this.#flight.recent(now);
  }

  #change(message: Message, change: (waiting: Heap<Message>) => void): void {
    const tenant = this.#tenantOf(message);
    this.#waiting.remove(tenant);
    change(tenant.waiting);
    if (tenant.waiting.size > 0) this.#waiting.add(tenant);
  }

  #tenantOf({ groupId }: Message): Tenant {
    if (groupId === undefined) return this.#ungrouped;
    const tenant = this.#tenants.get(groupId) ?? new Tenant();
    this.#tenants.set(groupId, tenant);
    return tenant;
  }
}

function waitsLonger({ waiting: left }: Tenant, { waiting: right }: Tenant): boolean {
  return left.first !== undefined && right.first !== undefined && isBefore(left.first, right.first);
}
