import { Heap } from "./heap.ts";
import { isBefore, type Message } from "./message.ts";

// Amazon SQS developer guide, "How Amazon SQS fair queues work": how a noisy neighbor is detected, and for how long
// it stays one.
const NOISY_SHARE = 0.1;
const NOISY_IN_FLIGHT = 30;
const QUIET_AFTER_MS = 5 * 60_000;
/** Over how long a share of processing time is averaged, in ms. The guide says "recent" and gives no number. */
const RECENT_MS = 60_000;

/** Messages in flight: how many, and how many there were recently on average, which is their processing time. */
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

/** All messages of one MessageGroupId. */
class Tenant {
  readonly waiting = new Heap<Message>(isBefore);
  readonly flight = new Flight();
  lastSentAt = Number.NEGATIVE_INFINITY;
}

/**
 * The visible messages of a queue, of which those of quiet tenants come before those of noisy ones, and else the
 * oldest first (Amazon SQS developer guide, "Amazon SQS fair queues").
 *
 * A message without a group is a tenant of its own whose backlog is empty as soon as the message is received, so
 * it is never noisy.
 */
export class FairBacklog {
  readonly #tenants = new Map<string, Tenant>();
  readonly #ungrouped = new Heap<Message>(isBefore);
  readonly #flight = new Flight();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get inFlight(): number {
    return this.#flight.count;
  }

  add(message: Message): void {
    this.#heapOf(message).add(message);
    this.#size += 1;
  }

  remove(message: Message): void {
    if (this.#heapOf(message).remove(message)) this.#size -= 1;
  }

  /** Takes note of a message that came to the queue. */
  arrived({ groupId, sentAt }: Message): void {
    if (groupId === undefined) return;
    const tenant = this.#tenant(groupId);
    tenant.lastSentAt = Math.max(tenant.lastSentAt, sentAt);
  }

  /** Takes note of a message that is in flight from now on (1), or no longer (-1). */
  changeFlight({ groupId }: Message, by: 1 | -1, now: number): void {
    this.#flight.change(by, now);
    if (groupId !== undefined) this.#tenant(groupId).flight.change(by, now);
  }

  /** The message to receive next. */
  next(now: number): Message | undefined {
    let quiet = this.#ungrouped.first;
    let noisy: Tenant | undefined;
    for (const tenant of this.#tenants.values()) {
      const { first } = tenant.waiting;
      if (!first || (quiet && !isBefore(first, quiet))) continue;
      if (!this.#isNoisy(tenant, now)) quiet = first;
      else if (!noisy || yieldsLess(tenant, noisy)) noisy = tenant;
    }
    return quiet ?? noisy?.waiting.first;
  }

  #isNoisy({ flight, lastSentAt }: Tenant, now: number): boolean {
    if (now - lastSentAt >= QUIET_AFTER_MS) return false;
    const holdsMuch = flight.count >= NOISY_IN_FLIGHT && flight.count > NOISY_SHARE * this.#flight.count;
    return holdsMuch || flight.recent(now) > NOISY_SHARE * this.#flight.recent(now);
  }

  #heapOf({ groupId }: Message): Heap<Message> {
    return groupId === undefined ? this.#ungrouped : this.#tenant(groupId).waiting;
  }

  #tenant(groupId: string): Tenant {
    const tenant = this.#tenants.get(groupId) ?? new Tenant();
    this.#tenants.set(groupId, tenant);
    return tenant;
  }
}

/** Of several noisy tenants the one with the fewest messages in flight is first. */
function yieldsLess(left: Tenant, right: Tenant): boolean {
  if (left.flight.count !== right.flight.count) return left.flight.count < right.flight.count;
  const [first, other] = [left.waiting.first, right.waiting.first];
  return first !== undefined && other !== undefined && isBefore(first, other);
}
