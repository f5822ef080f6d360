import { expect, onTestFinished, test } from "vitest";
import { CandidateServiceClient } from "../../client/src/index.ts";
import { aSubmission } from "../builders/submission.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { aReceiver } from "../end-to-end/receiver.ts";
import { startCommand } from "../local/start-command.ts";

const BATCHES = 10;
const ROWS = 100;
const EVENTS = BATCHES * ROWS;
/** Six times as long as its pace takes, in ms. */
const ARRIVE_WITHIN = 120_000;

test("a thousand events that fired while an endpoint was inactive arrive within two minutes of one call", async () => {
  const command = startCommand({ LOCAL_DATA_DIR: await temporaryFolder() }, ["--no-throttling"]);
  const banner = await command.until("Press Ctrl-C to stop.");
  const client = new CandidateServiceClient({
    baseUrl: /Ready at (\S+)/.exec(banner)?.[1] ?? "",
    apiKey: /X-API-Key: (\w+)/.exec(banner)?.[1] ?? "",
  });
  onTestFinished(async () => {
    command.child.kill("SIGINT");
    await command.ended;
  });
  const receiver = await aReceiver();
  const { id } = await client.createWebhookEndpoint({
    url: receiver.url,
    eventTypes: ["candidate.received"],
  });
  await client.updateWebhookEndpoint(id, { active: false });
  const since = new Date().toISOString();
  for (let batch = 0; batch < BATCHES; batch++) {
    await client.createCandidateBatch(Array.from({ length: ROWS }, () => aSubmission()));
  }
  const inFeed = new Set<string>();
  for await (const event of client.events({ since, follow: true })) {
    if (inFeed.add(event.id).size === EVENTS) break;
  }

  await client.updateWebhookEndpoint(id, { active: true });
  const startedAt = Date.now();
  const recovery = await client.startRecovery(id, { since });
  const arrived = () => new Set(receiver.deliveries.map(({ event }) => event.id));
  await receiver.waitUntil(() => arrived().size === EVENTS);
  const tookMs = Date.now() - startedAt;

  expect(arrived()).toEqual(inFeed);
  expect(tookMs).toBeLessThan(ARRIVE_WITHIN);
  await expect
    .poll(() => client.getRecovery(id, recovery.id))
    .toMatchObject({ status: "completed", found: EVENTS, sent: EVENTS });
});
