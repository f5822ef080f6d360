import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { DisabledReason } from "#contract/events";
import type { RetrySchedule } from "#runtime/environment";
import { logger } from "#runtime/logger";
import type { Runtime } from "#runtime/runtime";
import type { Update } from "#runtime/update-expression";
import { newEndpointOutboxEvent } from "#webhooks/endpoints/endpoint-event";
import {
  failureAttributes,
  failureCounterOf,
  isCounted,
  isNoticeDue,
  isSuccessOutdated,
  outdatedFailureCounters,
} from "#webhooks/endpoints/endpoint-health";
import { EndpointItems } from "#webhooks/endpoints/endpoint-items";
import { type Lane, laneOf } from "#webhooks/endpoints/lane";
import {
  PACE_ATTRIBUTES,
  type Pace,
  paceAfter,
  paceAfterCut,
  paceAfterLateFailure,
} from "#webhooks/endpoints/pace";
import type { StoredEndpoint } from "#webhooks/endpoints/stored-endpoint";

type HealthSources = Pick<Runtime, "now" | "random" | "randomBytes"> & { readonly schedule: RetrySchedule };

/** Records the results of attempts at endpoints. */
export class EndpointHealthRepository {
  readonly #items: EndpointItems;
  readonly #sources: HealthSources;

  constructor(client: DynamoDBDocumentClient, tableName: string, sources: HealthSources) {
    this.#items = new EndpointItems(client, tableName);
    this.#sources = sources;
  }

  /**
   * Records that an attempt succeeded, which ends a series of failures, and how fast the response was. Writes nothing
   * if that makes no difference, as for almost every response of a healthy endpoint.
   *
   * @param endpoint as it was read before the attempt
   */
  async succeeded(endpoint: StoredEndpoint, durationMs: number): Promise<void> {
    const now = this.#now();
    if (endpoint.failingSince !== undefined) {
      const recovered = await this.#setSuccess(endpoint, now, {
        remove: failureAttributes(now),
        conditions: ["attribute_exists(#failingSince)"],
      });
      await this.#announceLane(endpoint, recovered);
    } else if (isSuccessOutdated(endpoint, now, this.#sources.random())) {
      const { lastSuccessAt: seen } = endpoint;
      const recorded = await this.#setSuccess(endpoint, now, {
        conditions: [seen ? "#lastSuccessAt = :lastSeen" : "attribute_not_exists(#lastSuccessAt)"],
        ...(seen && { values: { ":lastSeen": seen } }),
      });
      // Otherwise processes that keep the endpoint would try to record their successes too.
      if (recorded) await this.#raiseVersion(recorded);
    }
    const pace = paceAfter(endpoint, durationMs, now);
    if (pace) await this.#setPace(endpoint, pace);
  }

  async #setSuccess(
    endpoint: StoredEndpoint,
    at: Date,
    { conditions, values, ...update }: Omit<Update, "set">,
  ): Promise<StoredEndpoint | undefined> {
    const unchanged = unchangedSince(endpoint);
    return this.#items.update(endpoint.orgId, endpoint.id, {
      ...update,
      set: { lastSuccessAt: at.toISOString() },
      conditions: [...conditions, unchanged.condition],
      values: { ...values, ...unchanged.values },
    });
  }

  /** Records that an attempt has had no response for so long that the endpoint is suspected of being slow. */
  async suspected(endpoint: StoredEndpoint): Promise<void> {
    await this.#setPace(
      endpoint,
      { suspectedSince: this.#now().toISOString() },
      { unchanged: ["slowSince", "probationSince", "suspectedSince", "unprovenSince"] },
    );
  }

  /**
   * Records that an attempt was cut. Of those that were cut at the same time, only the first changes anything. A new
   * address, which the receiver may have set during the attempt, stays unproven.
   */
  async cut(endpoint: StoredEndpoint, lane: Exclude<Lane, "retry">): Promise<void> {
    await this.#setPace(endpoint, paceAfterCut(lane, this.#now()), {
      unchanged: lane === "delivery" ? ["slowSince", "probationSince"] : ["slowSince"],
      kept: ["unprovenSince"],
    });
  }

  /** Records that an attempt from the side queue failed after a time in which it delayed others. */
  async failedLate(endpoint: StoredEndpoint): Promise<void> {
    const pace = paceAfterLateFailure(endpoint, this.#now());
    if (pace) await this.#setPace(endpoint, pace);
  }

  /**
   * Records that a receiver was busy and asked to wait. That begins no series of failures, but interrupts the fast
   * responses in a row.
   */
  async askedToWait({ orgId, id, fastResponses }: StoredEndpoint): Promise<void> {
    if (!fastResponses) return;
    await this.#items.update(orgId, id, {
      set: { fastResponses: 0 },
      conditions: ["attribute_exists(#fastResponses)"],
    });
  }

  /**
   * Leaves the pace as it is if another response has changed it since it was read.
   *
   * @param options.unchanged the attributes that must be as they were
   * @param options.kept the attributes that stay as they are
   */
  async #setPace(
    endpoint: StoredEndpoint,
    pace: Pace,
    {
      unchanged = PACE_ATTRIBUTES,
      kept = [],
    }: { readonly unchanged?: readonly (keyof Pace)[]; readonly kept?: readonly (keyof Pace)[] } = {},
  ): Promise<void> {
    const { orgId, id } = endpoint;
    const seen = unchanged.filter((name) => endpoint[name] !== undefined);
    const paced = await this.#items.update(orgId, id, {
      set: { ...pace },
      remove: PACE_ATTRIBUTES.filter((name) => pace[name] === undefined && !kept.includes(name)),
      conditions: unchanged.map((name) =>
        seen.includes(name) ? `#${name} = :seen_${name}` : `attribute_not_exists(#${name})`,
      ),
      values: Object.fromEntries(seen.map((name) => [`:seen_${name}`, endpoint[name]])),
    });
    await this.#announceLane(endpoint, paced);
  }

  /**
   * Raises the version if the lane is another one, or may have been another one in between: then processes may have
   * read the endpoint in that lane.
   *
   * @param after undefined if the write changed nothing
   */
  async #announceLane(before: StoredEndpoint, after: StoredEndpoint | undefined): Promise<void> {
    if (!after) return;
    const isUnchanged = laneOf(before) === laneOf(after) && before.version === after.version;
    if (!isUnchanged) await this.#raiseVersion(after);
  }

  /**
   * Raises the version of an endpoint that a write has moved to another lane or made inactive, so that no process
   * continues to use its former state. One transaction would take four times the write units, even for the many
   * concurrent writes of which only the first changes anything. A version that cannot be raised must not repeat the
   * attempt: processes keep an endpoint for a minute at most (`WebhookEndpointCache`).
   */
  async #raiseVersion({ orgId, id }: StoredEndpoint): Promise<void> {
    await this.#items
      .updateAndRaiseVersion(orgId, id, { conditions: [] })
      .catch((error: unknown) => logger.error("version not raised", { orgId, endpointId: id, cause: error }));
  }

  /**
   * Records that an attempt failed, unless that makes no difference: the item of an endpoint that fails a thousand
   * times a second is not written a thousand times a second. A day after the series of failures began, it also fires
   * `webhook_endpoint.failing`, once.
   *
   * @param endpoint as it was read before the attempt
   * @returns the updated endpoint, or undefined if it has been deleted, or changed since: the attempt may have been
   *   made at a former address
   */
  async failed(endpoint: StoredEndpoint): Promise<StoredEndpoint | undefined> {
    const failing = await this.#counted(endpoint);
    if (failing && isNoticeDue(failing, this.#now(), this.#sources.schedule)) await this.#notify(failing);
    return failing;
  }

  async #counted(endpoint: StoredEndpoint): Promise<StoredEndpoint | undefined> {
    const now = this.#now();
    // A failure interrupts the fast responses in a row.
    const interrupted = endpoint.fastResponses ? { fastResponses: 0 } : undefined;
    if (isCounted(endpoint, now) && !interrupted) return endpoint;
    const counter = failureCounterOf(now);
    const unchanged = unchangedSince(endpoint);
    const failing = await this.#items.update(endpoint.orgId, endpoint.id, {
      assign: {
        failingSince: "if_not_exists(#failingSince, :since)",
        [counter]: `if_not_exists(#${counter}, :none) + :one`,
      },
      ...(interrupted && { set: interrupted }),
      remove: outdatedFailureCounters(endpoint, now),
      conditions: [unchanged.condition],
      values: { ":since": now.toISOString(), ":none": 0, ":one": 1, ...unchanged.values },
    });
    // Of failures at the same time, only the one that began the series announces it.
    if (failing?.failingSince === now.toISOString()) await this.#announceLane(endpoint, failing);
    return failing;
  }

  /** Fires the notice of a series of failures, unless that series has ended or another attempt was first. */
  async #notify({ orgId, id, failingSince }: StoredEndpoint): Promise<void> {
    await this.#items.update(orgId, id, {
      set: {
        failingNoticeAt: this.#now().toISOString(),
        event: newEndpointOutboxEvent("webhook_endpoint.failing", this.#sources),
      },
      conditions: [
        "active = :active",
        "failingSince = :failingSince",
        "attribute_not_exists(#failingNoticeAt)",
      ],
      values: { ":active": true, ":failingSince": failingSince },
    });
  }

  /**
   * Stops deliveries to an endpoint until it is activated again, and fires `webhook_endpoint.disabled`. An endpoint
   * that the organisation has changed since the attempt is left unchanged.
   *
   * @param missedSince the time of the first event that it has missed. For an endpoint that keeps failing, the time
   *   when this series of failures began, which it must still have: a success in between ends it
   * @returns whether this call stopped them
   */
  async deactivate(
    endpoint: StoredEndpoint,
    disabledReason: DisabledReason,
    missedSince: string,
  ): Promise<boolean> {
    const { orgId, id, missedSince: former } = endpoint;
    const unchanged = unchangedSince(endpoint);
    const deactivated = await this.#items.update(orgId, id, {
      set: {
        active: false,
        disabledAt: this.#now().toISOString(),
        disabledReason,
        missedSince: former !== undefined && former < missedSince ? former : missedSince,
        event: newEndpointOutboxEvent("webhook_endpoint.disabled", this.#sources),
      },
      conditions: [
        "active = :wasActive",
        unchanged.condition,
        ...(disabledReason === "failing" ? ["failingSince = :failingSince"] : []),
      ],
      values: {
        ":wasActive": true,
        ...(disabledReason === "failing" && { ":failingSince": missedSince }),
        ...unchanged.values,
      },
    });
    if (deactivated) await this.#raiseVersion(deactivated);
    return deactivated !== undefined;
  }

  #now(): Date {
    return this.#sources.now();
  }
}

/** The condition that the organisation has not changed the endpoint since it was read. */
function unchangedSince({ updatedAt }: StoredEndpoint) {
  return updatedAt
    ? { condition: "#updatedAt = :seen", values: { ":seen": updatedAt } }
    : { condition: "attribute_not_exists(#updatedAt)", values: {} };
}
