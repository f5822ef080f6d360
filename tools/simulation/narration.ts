import type { Operation } from "./operations.ts";
import type { StoryOutcome } from "./outcome.ts";

/** An outcome as text: each call with its time, the faults, the writes and the deliveries. */
export function narrate({
  story,
  beginning,
  calls,
  writes,
  posts,
  faults,
  messages,
  lastReads,
}: StoryOutcome): string {
  const lines: { readonly at: number; readonly text: string }[] = [];
  const add = (at: number, text: string) => lines.push({ at, text });
  for (const { step, startedAt, endedAt, response } of calls) {
    const name = `step ${step.number}`;
    add(startedAt, `${name}: ${describe(step.operation)}`);
    const { error = "", status = "" } = (response?.body ?? {}) as { error?: string; status?: string };
    const outcome = response ? `${response.status} ${error || status}`.trim() : "no response";
    if (endedAt !== undefined) add(endedAt, `${name} ends: ${outcome}`);
  }
  for (const { at, pk, sk, item } of writes) {
    const event = (item?.["event"] as { type: string } | undefined)?.type;
    const state = item?.["status"] === undefined ? "" : ` ${item["status"]}`;
    add(
      at,
      item
        ? `  write ${pk} ${sk}${state}${event ? `, fires ${event} ${item["sequence"]}` : ""}`
        : `  remove ${pk} ${sk}`,
    );
  }
  for (const { startedAt, url, headers, statusCode } of posts) {
    const { "X-RR-Event-Type": type, "X-RR-Delivery-Attempt": attempt, "X-RR-Event-Id": id } = headers;
    add(startedAt, `  post ${type} (${id}) to ${url}, attempt ${attempt}: ${statusCode ?? "no response"}`);
  }
  for (const { at, number, kind, where } of faults) add(at, `  FAULT ${number}: ${kind}, ${where}`);
  const people = story.people.map(
    ({ orgId, externalId }, index) => `person ${index}: ${externalId} of ${orgId}`,
  );
  const subscribers = story.subscribers.map(
    ({ orgId, url, behaviour }, index) =>
      `subscriber ${index}: ${url} of ${orgId}, ${behaviour.kind} from ${behaviour.from / 1000} s to ${behaviour.until / 1000} s`,
  );
  const timeline = lines
    .toSorted((left, right) => left.at - right.at)
    .map(({ at, text }) => `${((at - beginning) / 1000).toFixed(3).padStart(12)} s  ${text}`);
  const left = [...messages].filter(([, bodies]) => bodies.length > 0);
  const reads = lastReads.map(
    ({ person, byHandle }) => `person ${person} reads at the end: ${byHandle.status}`,
  );
  return [
    ...people,
    ...subscribers,
    ...timeline,
    ...left.map(([queue, bodies]) => `${bodies.length} messages are left in ${queue}`),
    ...reads,
  ].join("\n");
}

function describe({ name, ...details }: Operation): string {
  const given = Object.entries(details).map(
    ([key, value]) => `${key} ${Array.isArray(value) ? value.join(" ") : value}`,
  );
  return [name, ...given].join(", ");
}
