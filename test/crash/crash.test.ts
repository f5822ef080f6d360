import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { aSubmission } from "../builders/submission.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { aReceiver } from "../end-to-end/receiver.ts";
import { gone, processesOf, type StartCommand, startCommand } from "../local/start-command.ts";

const CREATES = 1_000;
const LANES = 16;

interface Stack {
  readonly command: StartCommand;
  readonly baseUrl: string;
  readonly apiKey: string;
}

test("npm start killed during 1,000 creates loses no event, repeats no sequence and keeps its keys", async () => {
  const LOCAL_DATA_DIR = await temporaryFolder();
  const start = async (): Promise<Stack> => {
    const command = startCommand({ LOCAL_DATA_DIR });
    const banner = await command.until("Press Ctrl-C to stop.");
    return {
      command,
      baseUrl: /Ready at (\S+)/.exec(banner)?.[1] ?? "",
      apiKey: /X-API-Key: (\w+)/.exec(banner)?.[1] ?? "",
    };
  };
  let stack = await start();
  const { apiKey } = stack;
  expect(await processesOf(LOCAL_DATA_DIR)).not.toEqual([]);

  // One first attempt in five fails, so that deliveries are pending when the stack dies.
  const receiver = await aReceiver((response, { headers }) =>
    response.writeHead(headers["x-rr-delivery-attempt"] === "1" && Math.random() < 0.2 ? 500 : 204).end(),
  );
  await call(stack, "POST", "/v1/webhook-endpoints", {
    url: receiver.url,
    eventTypes: ["candidate.received", "candidate.consent_revoked"],
  });
  const curl = /curl .*/.exec(await stack.command.until("Press Ctrl-C to stop."))?.[0] ?? "";
  const { stdout } = await promisify(execFile)("sh", ["-c", curl]);
  const first = JSON.parse(stdout);
  expect(first).toMatchObject({ externalId: "candidate-1", status: "received" });
  const submissions = Array.from({ length: CREATES }, () => aSubmission());
  const stagedIds = new Map<string, string>([[first.externalId, first.stagedId]]);
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
        stack.command.child.kill("SIGKILL");
        restarted = gone(LOCAL_DATA_DIR).then(async () => {
          stack = await start();
        });
      }
      await create(submission);
    }
  };

  await Promise.all(Array.from({ length: LANES }, lane));
  expect(stack.apiKey).toBe(apiKey);
  const kept = await call(stack, "GET", `/v1/candidates/${first.stagedId}`);
  expect(kept).toMatchObject({ externalId: "candidate-1" });
  expect(await stack.command.until("GET /v1/candidates/{id} 200")).not.toContain(first.stagedId);
  // A second event for some, so that a gap in their sequence would show.
  const withdrawn = [...stagedIds.values()].filter((_, index) => index % 20 === 0);
  for (const stagedId of withdrawn) {
    await call(stack, "PUT", `/v1/candidates/${stagedId}`, { consentGiven: false });
  }
  const sequences = new Map<unknown, Set<number>>();
  const expected = stagedIds.size + withdrawn.length;
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

  stack.command.child.kill("SIGTERM");
  expect(await stack.command.ended).toEqual([0, null]);
  expect(await processesOf(LOCAL_DATA_DIR)).toEqual([]);
});

async function call(
  stack: Stack,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${stack.baseUrl}${path}`, {
    method,
    headers: { "X-API-Key": stack.apiKey, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status === 429) {
    await delay(Number(response.headers.get("retry-after")) * 1000);
    return call(stack, method, path, body);
  }
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as Record<string, unknown>;
}
