import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject, test } from "vitest";
import { PLATFORM_TRANSITIONS } from "#contract/platform-transition";
import { CandidateServiceClient, type FeedEvent, verifyWebhook } from "../../client/src/index.ts";
import { aSubmission } from "../builders/submission.ts";
import { startCommand } from "../client/command.ts";
import { responds, startService } from "../client/scripted-service.ts";
import { anOrganisation } from "./platform.ts";

const SECRET = "whsec_mG4xkfRg0pXo3VvUq1cZ6nJ8hY2sT5wB7dLrEaKiQyM=";
const reasons = [{ code: "cv_unreadable", message: "The CV could not be opened." }];
const LIFECYCLE = ["received", "validation_failed", "verified", "promoted", "consent_revoked", "erased"].map(
  (status) => `candidate.${status}`,
);

/** A client of an organisation that no other test uses, and its key. */
async function aClientWithKey() {
  const { apiKey } = await anOrganisation();
  const client = new CandidateServiceClient({ baseUrl: inject("baseUrl"), apiKey });
  return { apiKey, client };
}

/** Leads a new candidate through the whole lifecycle, as an integrator can in the sandbox. */
async function leadThroughLifecycle(client: CandidateServiceClient): Promise<string> {
  const { stagedId } = await client.createCandidate(aSubmission());
  await client.applySandboxTransition(stagedId, "fail-validation", { reasons });
  for (const transition of PLATFORM_TRANSITIONS.filter((each) => each !== "fail-validation")) {
    await client.applySandboxTransition(stagedId, transition);
  }
  return stagedId;
}

// At the same time: each waits for the feed, which readers see a second and a half late.
test.concurrent("listen forwards the sandbox's six events as deliveries", async ({
  expect,
  onTestFinished,
}) => {
  const { apiKey, client } = await aClientWithKey();
  const arrivals = new Map<string, FeedEvent>();
  const receiver = await startService(async (response, request) => {
    const event = await verifyWebhook(request.body, request.headers, SECRET);
    arrivals.set(event.id, event);
    responds(204)(response, request);
  });
  onTestFinished(receiver.stop);
  const listen = startCommand(["listen", "--forward-to", receiver.baseUrl, "--secret", SECRET, "--json"], {
    env: {
      HOME: await mkdtemp(join(tmpdir(), "listen-")),
      CANDIDATES_URL: inject("baseUrl"),
      CANDIDATES_API_KEY: apiKey,
    },
  });
  onTestFinished(() => void listen.process.kill("SIGKILL"));
  const { stagedId: firstCandidate } = await client.createCandidate(aSubmission());
  await expect.poll(() => arrivals.size).toBe(1);

  const stagedId = await leadThroughLifecycle(client);
  await expect.poll(() => arrivals.size).toBe(7);
  listen.process.kill("SIGINT");
  const { code, stdout } = await listen.ended;

  const [first, ...others] = arrivals.values();
  expect(first?.data).toMatchObject({ stagedId: firstCandidate });
  const inOrder = others.sort(
    (left, right) =>
      Number("sequence" in left && left.sequence) - Number("sequence" in right && right.sequence),
  );
  expect(inOrder.map(({ type }) => type)).toEqual(LIFECYCLE);
  expect(inOrder.map((event) => "sequence" in event && event.sequence)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(code).toBe(0);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.filter((line) => line.stagedId === stagedId && line.statusCode === 204)).toHaveLength(6);
});

test.concurrent("reconciling with the feed names the events that a receiver missed, and proves that no other is missing", async ({
  expect,
}) => {
  const { client } = await aClientWithKey();
  const ids = await Promise.all(Array.from({ length: 5 }, () => leadThroughLifecycle(client)));
  // The feed may have an event twice.
  const idsInFeed = async () => new Set((await Array.fromAsync(client.events())).map(({ id }) => id));
  await expect.poll(async () => (await idsInFeed()).size, { interval: 250 }).toBe(30);

  const [first = "", second = "", ...others] = ids;

  const seen = new Map<string, number[]>([
    [first, [1, 2, 4, 6]],
    [second, [1]],
    ...others.map((stagedId): [string, number[]] => [stagedId, [1, 2, 3, 4, 5, 6]]),
  ]);
  const { missing, gaps, checked } = await client.reconcile(seen, { limit: 7 });
  const again = await client.reconcile(() => true, { types: ["candidate.erased"] });

  const named = missing.map((event) => ("sequence" in event ? [event.data.stagedId, event.sequence] : []));
  expect(
    named
      .filter(([stagedId]) => stagedId === first)
      .map(([, sequence]) => sequence)
      .sort(),
  ).toEqual([3, 5]);
  expect(
    named
      .filter(([stagedId]) => stagedId === second)
      .map(([, sequence]) => sequence)
      .sort(),
  ).toEqual([2, 3, 4, 5, 6]);
  expect([named.length, gaps]).toEqual([7, []]);
  expect(checked).toBeGreaterThanOrEqual(30);
  expect(again).toMatchObject({ missing: [], gaps: [] });
});

test.concurrent("a followed feed goes on from its checkpoint with what happened since", async ({
  expect,
}) => {
  const { client } = await aClientWithKey();
  const { stagedId } = await client.createCandidate(aSubmission());
  let checkpoint = "";
  for await (const { data, nextCursor } of client.events({ follow: true }).pages()) {
    checkpoint = nextCursor;
    if (data.length > 0) break;
  }
  await client.applySandboxTransition(stagedId, "verify");

  for await (const event of client.events({ cursor: checkpoint, follow: true })) {
    expect(event).toMatchObject({ type: "candidate.verified", sequence: 2, data: { stagedId } });
    break;
  }
});
