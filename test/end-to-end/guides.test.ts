import { execFile } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { anOrganisation } from "./platform.ts";
import { aReceiver } from "./receiver.ts";

const run = promisify(execFile);

interface Reading {
  readonly times?: number;
  /** What the reader has to replace, by what. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** A command after the guide's. */
  readonly afterwards?: string;
}

/** Pastes a guide's shell blocks into one shell, as a reader would who has an address and a key. */
async function follow(
  guide: string,
  { times = 1, replaced = {}, afterwards = "" }: Reading = {},
): Promise<string> {
  const { apiKey } = await anOrganisation();
  const source = await readFile(`docs/guides/${guide}.md`, "utf8");
  const blocks = [...source.matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, block = ""]) => block)
    .filter((block) => !block.startsWith("export BASE="));
  const commands = Object.entries(replaced).reduce(
    (text, [given, own]) => text.replaceAll(given, own),
    blocks.join("\n").repeat(times),
  );
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", `${commands}\n${afterwards}`], {
    cwd: await mkdtemp(join(tmpdir(), "guide-")),
    env: { ...process.env, BASE: inject("baseUrl"), KEY: apiKey },
  });
  return stdout;
}

test("the commands of the guide to the first call work as pasted", async () => {
  const printed = await follow("first-call");

  expect(printed).toContain('"stagedId":"staged_');
  expect(printed).toContain('"headline":"Analyst and metaphysician"');
  expect(printed).not.toContain("ada@example.com");
});

test("the sync script of the guide creates candidates on its first run and amends them on its second", async () => {
  const printed = await follow("idempotent-sync", { times: 2 });

  expect(printed).toMatch(
    /^\{"results":\[.*"replayed":false.*"status":400.*\{"stagedId".*"replayed":true.*\{"id":.*"headline":"Rear admiral"/s,
  );
});

test("the commands of the guide to amending work as pasted", async () => {
  const printed = await follow("amending");

  expect(printed).toContain('"headline":null');
  expect(printed).toContain('"headline":"Science writer"');
  expect(printed).toContain('"status":"consent_revoked"');
  expect(printed).toMatch(/"status":"received"[^{}]*\}$/);
  expect(printed).not.toContain('"error"');
});

test("the commands of the guide to erasing and to the sandbox work as pasted", async () => {
  expect(await follow("lifecycle")).toBe(`202\n${"204\n".repeat(5)}`);
});

test("the commands of the guide to webhooks work as pasted, and export the ids for the other samples", async () => {
  const { url } = await aReceiver();
  const printed = await follow("webhooks", {
    replaced: {
      "https://hooks.example.com": new URL(url).origin,
      "evt_…": `evt_${"0".repeat(26)}`,
      // Without milliseconds, so that no log line has the same time.
      "2026-11-20T18:00:00Z": new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    },
    afterwards: "echo; printenv ENDPOINT_ID EVENT_ID RECOVERY_ID",
  });

  const recovery = /"id":"(rec_[a-z0-9]+)","status":"running"/.exec(printed)?.[1];
  expect(printed.trimEnd().split("\n").slice(-3)).toEqual([
    expect.stringMatching(/^whe_[a-z0-9]+$/),
    `evt_${"0".repeat(26)}`,
    recovery,
  ]);
  expect(printed.split(`"id":"${recovery}"`), "the start and the progress").toHaveLength(3);
  // The invented event's.
  expect(printed.match(/"error":"\w+"/g)).toEqual(['"error":"not_found"']);
});

test("the commands of the guide to the feed work as pasted", async () => {
  expect(JSON.parse(await follow("never-miss-an-event"))).toEqual({
    data: [],
    nextCursor: expect.stringMatching(/./),
    hasMore: false,
  });
});
