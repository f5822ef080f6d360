import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aSubmission } from "../builders/submission.ts";
import { aReceiver } from "../contract/receiver.ts";
import { type StackProcess, startStackProcess, synthesiseOnce } from "./stack-process.ts";

const CREATES = 1_000;
const LANES = 16;

test("a stack that is killed in the middle of a thousand creates loses no event and repeats no sequence", {
  timeout: 400_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "candidate-service-crash-"));
  const assembly = await synthesiseOnce(folder);
  const start = () => startStackProcess(join(folder, "data"), assembly);
  let stack = await start();
  onTestFinished(async () => {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  });
  // One first try in five fails, so that deliveries are pending when the stack dies.
  const receiver = await aReceiver((response, { headers }) =>
    response.writeHead(headers["x-rr-delivery-attempt"] === "1" && Math.random() < 0.2 ? 500 : 204).end(),
  );
  await call(stack, "POST", "/v1/webhook-endpoints", {
    url: receiver.url,
    eventTypes: ["candidate.received", "candidate.consent_revoked"],
  });
  const submissions = Array.from({ length: CREATES }, () => aSubmission());
  const stagedIds = new Map<string, string>();
  let restarted: Promise<void> | undefined;
  const create = async (submission: ReturnType<typeof aSubmission>): Promise<void> => {
    for (;;) {
      const running = stack;
      try {
        const { stagedId } = await call(running, "POST", "/v1/candidates", submission);
        stagedIds.set(submission.externalId, String(stagedId));
        return;
      } catch (error) {
        if (!restarted) throw error;
        await restarted;
      }
    }
  };
  const queue = submissions.values();
  const lane = async () => {
    for (const submission of queue) {
      if (stagedIds.size >= CREATES / 2 && !restarted) {
        restarted = stack.kill().then(async () => {
          stack = await start();
        });
      }
      await create(submission);
    }
  };

  await Promise.all(Array.from({ length: LANES }, lane));
  // A second event for some, so that a gap in their sequence would show.
  const withdrawn = [...stagedIds.values()].filter((_, index) => index % 20 === 0);
  for (const stagedId of withdrawn) {
    await call(stack, "PUT", `/v1/candidates/${stagedId}`, { consentGiven: false });
  }
  const sequences = new Map<unknown, Set<number>>();
  const expected = CREATES + withdrawn.length;
  await receiver.waitUntil(() => {
    sequences.clear();
    let events = 0;
    for (const { event } of receiver.deliveries) {
      const seen = sequences.get(event.data["stagedId"]) ?? new Set();
      if (!seen.has(event.sequence)) events += 1;
      sequences.set(event.data["stagedId"], seen.add(event.sequence));
    }
    return events >= expected;
  });

  for (const [index, stagedId] of [...stagedIds.values()].entries()) {
    expect([...(sequences.get(stagedId) ?? [])].sort(), stagedId).toEqual(index % 20 === 0 ? [1, 2] : [1]);
  }
  const bodies = new Map<string, string>();
  for (const { event, body } of receiver.deliveries) {
    expect(bodies.get(event.id) ?? body, "the same id, the same bytes").toBe(body);
    bodies.set(event.id, body);
  }
  expect(bodies.size).toBe(expected);
});

async function call(
  { baseUrl, apiKey }: StackProcess,
  method: string,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { "X-API-Key": apiKey, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as Record<string, unknown>;
}
