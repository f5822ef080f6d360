import { isDeepStrictEqual } from "node:util";
import { MINUTE } from "#runtime/durations";
import {
  type ChangedEndpoint,
  changedEndpoints,
  follows,
  hasChanged,
  isUpdate,
} from "./changed-endpoints.ts";
import { type Item, isCalm, madeOf, mayActAfter } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { timeOf, WRITTEN_MS } from "./times.ts";

export const endpointsChangeAsAsked: Invariant = {
  sentence:
    "An endpoint's address, event types and activity change together as requested, or the service sets it inactive.",
  *violations(outcome) {
    const updates = madeOf(outcome, "update");
    for (const changed of changedEndpoints(outcome)) {
      const { at, before, after, name } = changed;
      for (const member of ["id", "orgId", "createdAt", "description"])
        if (hasChanged(changed, member)) yield `${name} has another ${member}`;
      const differing = ["url", "eventTypes", "active"].filter((member) => hasChanged(changed, member));
      if (!isUpdate(changed)) {
        const isStopped =
          isDeepStrictEqual(differing, ["active"]) && after["active"] === false && "disabledAt" in after;
        if (differing.length > 0 && !isStopped) yield `${name} has another ${differing.join()}`;
        continue;
      }
      const isAsked = updates.some(({ operation, startedAt, endedAt, isCertain }) => {
        const {
          active = before["active"],
          eventTypes = before["eventTypes"],
          subscriber,
          isMoved,
        } = operation;
        const { url = "" } = outcome.story.subscribers[subscriber] ?? {};
        return (
          startedAt <= at &&
          mayActAfter({ endedAt, isCertain }, at) &&
          after["active"] === active &&
          isDeepStrictEqual(after["eventTypes"], eventTypes) &&
          after["url"] === (isMoved ? `${url}?moved` : before["url"])
        );
      });
      if (!isAsked) yield `${name} is changed as nobody has asked`;
      if (Math.abs(timeOf(after["updatedAt"]) - at) > WRITTEN_MS)
        yield `${name} has the updatedAt ${after["updatedAt"]}`;
    }
  },
};

/** What makes deliveries use another queue, none, or another key. */
function laneIn(item: Item): string {
  if ("slowSince" in item) return "retry";
  const inSide = ["unprovenSince", "failingSince", "suspectedSince", "probationSince"];
  return inSide.some((name) => name in item) ? "side" : "delivery";
}

export const versionsAnnounceChanges: Invariant = {
  sentence: "Each change of an endpoint that processes must know of raises its version by one.",
  *violations(outcome) {
    const changes = changedEndpoints(outcome);
    for (const changed of changes) {
      const { at, before, after, name } = changed;
      const rise = Number(after["version"] ?? 0) - Number(before["version"] ?? 0);
      if (rise !== 0 && rise !== 1) yield `${name} raises its version by ${rise}`;
      const isOfOrganisation = isUpdate(changed) || hasChanged(changed, "sealedSecret");
      if (isOfOrganisation && rise !== 1) yield `${name} changes without another version`;
      const isOther = hasChanged(changed, "active") || laneIn(before) !== laneIn(after);
      if (isOfOrganisation || !isOther || !isCalm(outcome, at, at + MINUTE)) continue;
      const isDeleted = outcome.writes.some(
        (write) => write.sk === changed.sk && !write.item && write.at >= at && write.at <= at + MINUTE,
      );
      if (isDeleted) continue;
      const isAnnounced = (later: ChangedEndpoint) =>
        Number(later.after["version"]) > Number(before["version"]);
      if (!follows(changes, changed, isAnnounced))
        yield `${name} changes from ${laneIn(before)} to ${laneIn(after)} without another version`;
    }
  },
};
