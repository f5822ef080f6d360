import { MINUTE, SECOND } from "#runtime/durations";
import type { Post } from "../history.ts";
import {
  attemptsBefore,
  changedEndpoints,
  hasChanged,
  isUpdate,
  postsBefore,
  writtenEndpoints,
} from "./changed-endpoints.ts";
import { type Item, isCalm } from "./evidence.ts";
import type { Invariant } from "./invariant.ts";
import { CLOCKS_MS, timeOf } from "./times.ts";

/** From the end of an attempt that is cut until that is recorded, in ms, unless there is a fault. */
const CUT_RECORDED_MS = 5 * SECOND;

function isSuccess({ statusCode = 0 }: Post): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function isFast(post: Post): boolean {
  return isSuccess(post) && post.durationMs < 1_000;
}

export const paceFollowsResponses: Invariant = {
  sentence:
    "An endpoint becomes suspected, slow or proven only by responses to its attempts, and fast again after twenty fast ones and ten minutes.",
  *violations(outcome) {
    for (const changed of changedEndpoints(outcome)) {
      const { at, before, after, name } = changed;
      const attempts = attemptsBefore(outcome, before["url"], at);
      const wasMoved = hasChanged(changed, "url");
      if (wasMoved && after["unprovenSince"] !== after["updatedAt"])
        yield `${name} is proven although it was moved`;
      // Of two requests that move it to the same address, the second one changes no address.
      const isAlsoMoved = isUpdate(changed) && after["unprovenSince"] === after["updatedAt"];
      const isProven = after["unprovenSince"] === undefined && attempts.some(isSuccess);
      if (!wasMoved && hasChanged(changed, "unprovenSince") && !isAlsoMoved && !isProven)
        yield `${name} changes to unproven since ${after["unprovenSince"]}`;
      const [cutBefore, cut] = [before, after].map((item) => item["slowSince"] ?? item["probationSince"]);
      if (after["slowSince"] !== undefined && after["probationSince"] !== undefined)
        yield `${name} is slow and on probation`;
      const fast = Number(after["fastResponses"] ?? 0);
      if (fast > Math.min(20, Number(before["fastResponses"] ?? 0) + 1) || (fast > 0 && cut === undefined))
        yield `${name} counts ${fast} fast responses`;
      if (fast > Number(before["fastResponses"] ?? 0) && !attempts.some(isFast))
        yield `${name} counts a response that was not fast`;
      const isLate = postsBefore(outcome, before["url"], at).some(({ durationMs }) => durationMs >= 1_000);
      for (const pace of ["suspectedSince", "probationSince", "slowSince"]) {
        if (before[pace] === undefined && after[pace] !== undefined && !isLate)
          yield `${name} gets ${pace} without a late response`;
        // At a new address, suspicion begins anew.
        const isAnew = pace === "suspectedSince" && before["unprovenSince"] !== undefined && isLate;
        if (before[pace] !== undefined && after[pace] !== undefined && hasChanged(changed, pace) && !isAnew)
          yield `${name} has another ${pace}`;
      }
      if (cutBefore !== undefined && cut === undefined) {
        const lasted = at - timeOf(cutBefore);
        if (Number(before["fastResponses"] ?? 0) < 19 || lasted < 10 * MINUTE - CLOCKS_MS)
          yield `${name} is fast again after ${before["fastResponses"]} responses and ${lasted} ms`;
      }
    }
  },
};

export const cutsAreRecorded: Invariant = {
  sentence: "After an attempt was cut, its endpoint is on probation or slow.",
  *violations(outcome) {
    const endpoints = writtenEndpoints(outcome);
    for (const { address, startedAt, durationMs, isCut } of outcome.posts) {
      const endedAt = startedAt + durationMs;
      if (!isCut || !isCalm(outcome, startedAt, endedAt + CUT_RECORDED_MS)) continue;
      const until = endedAt + CUT_RECORDED_MS;
      const wasCut = (item: Item | undefined) =>
        item?.["url"] === address &&
        (item["probationSince"] !== undefined || item["slowSince"] !== undefined);
      const isRecorded = endpoints.some(({ sk, at, before, after }) => {
        const isThere =
          at <= until &&
          !endpoints.some((later) => later.sk === sk && later.at > at && later.at <= startedAt);
        return (
          isThere &&
          (wasCut(after) || wasCut(before) || (before?.["url"] === address && after?.["url"] !== address))
        );
      });
      if (!isRecorded)
        yield `${address} is neither slow nor on probation after its attempt at ${new Date(startedAt).toISOString()}`;
    }
  },
};
