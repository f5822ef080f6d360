import { UNKNOWN } from "../aws/unknown-events.ts";
import type { StoryOutcome } from "../outcome.ts";
import { marksIn } from "../requests.ts";
import type { Invariant } from "./invariant.ts";

// The events that publish-events cannot read, which it parks until code that can read them is deployed.

/** The id of the event in a parked message; undefined in one about a whole batch. */
export function parkedEventIn(body: string): string | undefined {
  return JSON.parse(body).newImage?.event?.M?.id?.S;
}

export const nothingIsParked: Invariant = {
  sentence:
    "Only unreadable events are parked, without their candidate's data, and no sweep ends in its dead-letter queue.",
  *violations({ parked, messages }) {
    for (const body of parked) {
      if (!body.includes(UNKNOWN)) yield `an event is parked: ${body.slice(0, 200)}`;
      if (marksIn(body).length > 0) yield `an event is parked with its candidate: ${body.slice(0, 400)}`;
    }
    for (const [queue, bodies] of messages) {
      if (!queue.includes("UnsweptParts")) continue;
      for (const body of bodies) yield `a batch of sweeps failed: ${body.slice(0, 200)}`;
    }
  },
};

/** How a request to park an event may be performed although its client sends it again. */
const PERFORMED: ReadonlySet<string> = new Set(["lost after", "reset after", "late", "gone after"]);

/** How many faults may each have had a batch of events handled once more, all of it. */
function repetitionsOf({ failedInvocations, faults }: StoryOutcome): number {
  const ended = failedInvocations.filter(({ functionName }) => functionName.includes("publish-events"));
  const again = faults.filter(
    ({ kind, where }) => kind === "handed over twice" && /publishevents/i.test(where),
  );
  return ended.length + again.length;
}

export const parkedOnce: Invariant = {
  sentence: "An event that cannot be published is parked once, unless a fault repeats what parked it.",
  *violations(outcome) {
    const isSentAgain = outcome.faults.some(
      ({ kind, where }) =>
        PERFORMED.has(kind) && where.includes("publish-events") && where.endsWith("sqs SendMessage"),
    );
    if (isSentAgain) return;
    const most = 1 + repetitionsOf(outcome);
    for (const [eventId, copies] of Map.groupBy(outcome.parked, parkedEventIn)) {
      if (eventId !== undefined && copies.length > most) yield `${eventId} is parked ${copies.length} times`;
    }
  },
};

export const parkedIsPublished: Invariant = {
  sentence: "Code that can read parked events publishes all of them when they are redriven.",
  *violations({ story, messages }) {
    if (story.faults.unknownEvents === 0) return;
    for (const [queue, bodies] of messages) {
      if (!queue.includes("UnreadableEvents")) continue;
      for (const body of bodies) yield `${queue} still contains ${body.slice(0, 300)}`;
    }
  },
};
