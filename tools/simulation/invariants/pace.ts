import { MINUTE, SECOND } from "#runtime/durations";
import type { Post } from "../history.ts";
import type { StoryOutcome } from "../outcome.ts";
import {
  attemptsBefore,
  type ChangedEndpoint,
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

/** What an endpoint's item says of its pace. */
const PACES = ["suspectedSince", "probationSince", "slowSince"];

/** Since when attempts at an endpoint are cut. */
function cutSince(item: Item): unknown {
  return item["slowSince"] ?? item["probationSince"];
}

function fastResponsesIn(item: Item): number {
  return Number(item["fastResponses"] ?? 0);
}

export const paceFollowsResponses: Invariant = {
  sentence:
    "An endpoint becomes suspected, slow or proven only by responses to its attempts, and fast again after twenty fast ones and ten minutes.",
  *violations(outcome) {
    for (const changed of changedEndpoints(outcome)) {
      yield* problemsOfProof(outcome, changed);
      yield* problemsOfCount(outcome, changed);
      for (const pace of PACES) yield* problemsOfPace(outcome, changed, pace);
      yield* problemsOfSlownessEnd(changed);
    }
  },
};

/** An endpoint that is moved is unproven, until an attempt succeeds. */
function* problemsOfProof(outcome: StoryOutcome, changed: ChangedEndpoint): Generator<string> {
  const { at, before, after, name } = changed;
  const isUnprovenAnew = after["unprovenSince"] === after["updatedAt"];
  if (hasChanged(changed, "url")) {
    if (!isUnprovenAnew) yield `${name} is proven although it was moved`;
    return;
  }
  // Of two requests that move it to the same address, the second one changes no address.
  const isAlsoMoved = isUpdate(changed) && isUnprovenAnew;
  const isProven =
    after["unprovenSince"] === undefined && attemptsBefore(outcome, before["url"], at).some(isSuccess);
  if (hasChanged(changed, "unprovenSince") && !isAlsoMoved && !isProven)
    yield `${name} changes to unproven since ${after["unprovenSince"]}`;
}

/** An endpoint that is slow or on probation counts its fast responses one by one, up to twenty. */
function* problemsOfCount(
  outcome: StoryOutcome,
  { at, before, after, name }: ChangedEndpoint,
): Generator<string> {
  if (after["slowSince"] !== undefined && after["probationSince"] !== undefined)
    yield `${name} is slow and on probation`;
  const [former, fast] = [fastResponsesIn(before), fastResponsesIn(after)];
  if (fast > Math.min(20, former + 1) || (fast > 0 && cutSince(after) === undefined))
    yield `${name} counts ${fast} fast responses`;
  if (fast > former && !attemptsBefore(outcome, before["url"], at).some(isFast))
    yield `${name} counts a response that was not fast`;
}

/** An endpoint becomes suspected or slow, or goes on probation, by a late response, and stays so since then. */
function* problemsOfPace(outcome: StoryOutcome, changed: ChangedEndpoint, pace: string): Generator<string> {
  const { at, before, after, name } = changed;
  if (after[pace] === undefined) return;
  const isLate = postsBefore(outcome, before["url"], at).some(({ durationMs }) => durationMs >= 1_000);
  if (before[pace] === undefined) {
    if (!isLate) yield `${name} gets ${pace} without a late response`;
    return;
  }
  // At a new address, suspicion begins anew.
  const isAnew = pace === "suspectedSince" && before["unprovenSince"] !== undefined && isLate;
  if (hasChanged(changed, pace) && !isAnew) yield `${name} has another ${pace}`;
}

/** An endpoint is fast again after twenty fast responses and ten minutes. */
function* problemsOfSlownessEnd({ at, before, after, name }: ChangedEndpoint): Generator<string> {
  if (cutSince(before) === undefined || cutSince(after) !== undefined) return;
  const lasted = at - timeOf(cutSince(before));
  if (fastResponsesIn(before) < 19 || lasted < 10 * MINUTE - CLOCKS_MS)
    yield `${name} is fast again after ${before["fastResponses"]} responses and ${lasted} ms`;
}

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
