import { execFile } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { anOrganisation } from "./platform.ts";

const run = promisify(execFile);

/** Pastes a guide's shell blocks into one shell, as a reader would who has an address and a key. */
async function follow(guide: string, times = 1): Promise<string> {
  const { apiKey } = await anOrganisation();
  const source = await readFile(`docs/guides/${guide}.md`, "utf8");
  const blocks = [...source.matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, block = ""]) => block)
    .filter((block) => !block.startsWith("export BASE="));
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", blocks.join("\n").repeat(times)], {
    cwd: await mkdtemp(join(tmpdir(), "guide-")),
    env: { ...process.env, BASE: inject("baseUrl"), KEY: apiKey },
  });
  return stdout;
}

test("the commands of the guide to the first call work as pasted", async () => {
  const told = await follow("first-call");

  expect(told).toContain('"stagedId":"staged_');
  expect(told).toContain('"headline":"Analyst and metaphysician"');
  expect(told).not.toContain("ada@example.com");
});

test("the sync script of the guide creates candidates on its first run and amends them on its second", async () => {
  const told = await follow("idempotent-sync", 2);

  expect(told).toMatch(
    /^\{"results":\[.*"replayed":false.*"status":400.*\{"stagedId".*"replayed":true.*\{"id":.*"headline":"Rear admiral"/s,
  );
});

test("the commands of the guide to amending work as pasted", async () => {
  const told = await follow("amending");

  expect(told).toContain('"headline":null');
  expect(told).toContain('"headline":"Science writer"');
  expect(told).toContain('"status":"consent_revoked"');
  expect(told).toMatch(/"status":"received"[^{}]*\}$/);
  expect(told).not.toContain('"error"');
});

test("the commands of the guide to erasing and to the sandbox work as pasted", async () => {
  expect(await follow("lifecycle")).toBe(`202\n${"204\n".repeat(5)}`);
});

test("the commands of the guide to the feed work as pasted", async () => {
  expect(JSON.parse(await follow("never-miss-an-event"))).toEqual({
    data: [],
    nextCursor: expect.stringMatching(/./),
    hasMore: false,
  });
});
