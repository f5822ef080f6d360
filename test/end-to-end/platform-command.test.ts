import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { run } from "../../platform/run.ts";
import { aDocument, aFullSubmission, aSubmission } from "../builders/submission.ts";
import { callerWith, received } from "./client.ts";
import { anOrganisation } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { registered, webhookEndpointsOf } from "./webhook-client.ts";

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

beforeAll(() => {
  vi.stubEnv("LOCAL_DATA_DIR", inject("dataDir"));
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** Runs the command within this process. */
async function platform(args: readonly string[]): Promise<Run> {
  let stdout = "";
  let stderr = "";
  const code = await run(args, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return noted({ code, stdout, stderr });
}

/** Runs the command as `npm run platform --` does. */
function platformProcess(args: readonly string[], { input = "" } = {}): Promise<Run> {
  return new Promise((resolve) => {
    const { stdin } = execFile(
      process.execPath,
      ["platform/platform.ts", ...args],
      { env: { ...process.env, LOCAL_DATA_DIR: inject("dataDir") } },
      (error, stdout, stderr) => resolve(noted({ code: Number(error?.code ?? 0), stdout, stderr })),
    );
    stdin?.end(input);
  });
}

/** A run whose output is judged after the end-to-end tests. */
function noted(run: Run): Run {
  const { outputs } = inject("logs") ?? {};
  if (outputs) appendFileSync(outputs, `${run.stdout}${run.stderr}\n`);
  return run;
}

async function json(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await platform(["--json", ...args]);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

describe("platform keys", () => {
  test("prints the id of a key in standard input, and nothing else of it", async () => {
    const org = `org-${randomUUID()}`;
    const { apiKey, keyId } = await json("keys", "create", "--org", org, "--new-organisation", "--name", "a");

    const { code, stdout } = await platformProcess(["keys", "identify"], { input: `${apiKey}\n` });

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `The key has the id ${keyId}, in development if it was issued.\n`,
    });
  });

  test("refuses to identify what is not a whole key, without repeating it", async () => {
    expect(await platformProcess(["keys", "identify"], { input: "rr_live_cutOff" })).toEqual({
      code: 1,
      stdout: "",
      stderr: "Standard input is not an API key, or not a whole one.\n",
    });
  });

  test("creates a working key, lists it without its secret, and revokes it", async () => {
    const org = `org-${randomUUID()}`;

    const create = ["keys", "create", "--org", org, "--new-organisation"];
    const created = await json(...create, "--name", "sync", "--expires", "2099-12-31");
    const response = await callerWith(String(created["apiKey"])).createCandidate(aSubmission());
    const revoked = await json("keys", "revoke", "--key", String(created["keyId"]));
    const list = await json("keys", "list", "--org", org);

    expect(response.status).toBe(201);
    const { apiKey, ...key } = created;
    expect(key).toEqual({
      keyId: expect.stringMatching(/^key_/),
      orgId: org,
      name: "sync",
      createdAt: expect.any(String),
      expiresAt: "2099-12-31T00:00:00.000Z",
    });
    expect(revoked).toEqual({ ...key, revokedAt: expect.any(String), lastUsedAt: expect.any(String) });
    expect(list).toEqual({ data: [revoked] });
    expect(JSON.stringify(list)).not.toContain(apiKey);
  });

  test("prints a table and a sentence without --json", async () => {
    const org = `org-${randomUUID()}`;

    const created = await platform(["keys", "create", "--org", org, "--new-organisation", "--name", "sync"]);
    const list = await platform(["keys", "list", "--org", org]);

    expect(created.stdout).toMatch(/not shown again[\s\S]*rr_dev_\w{38}\n$/);
    expect(list.stdout).toMatch(/Key id.*Name[\s\S]*key_\w{26}.*sync/);
  });
});

describe("platform candidates", () => {
  test("advances a candidate and shows its state, without personal data", async () => {
    const { orgId, caller } = await anOrganisation();
    const passport = aDocument({ documentType: "identity_document", label: "Canary passport" });
    const submission = aFullSubmission({ documents: [aDocument(), passport, passport] });
    const id = await received(caller, submission);
    const candidate = ["--org", orgId, "--id", id];
    const file = join(await mkdtemp(join(tmpdir(), "assessment-")), "assessment.json");
    await writeFile(
      file,
      JSON.stringify({ name: "Logic", status: "completed", externalId: "a-1", score: 91 }),
    );

    await json(
      "candidates",
      "fail-validation",
      ...candidate,
      "--reason",
      "a:One: two",
      "--reason",
      "b:Three",
    );
    await json("candidates", "verify", ...candidate);
    const promoted = await json("candidates", "promote", ...candidate);
    const again = await json("candidates", "promote", ...candidate);
    await json("candidates", "score", ...candidate, "--score", "72.5");
    await json("candidates", "assess", ...candidate, "--file", file);
    await json("candidates", "assess", ...candidate, "--file", file);
    const record = await caller.getCandidate(String(promoted["id"]));
    const shown = await platform(["candidates", "show", ...candidate]);

    expect(promoted["changed"]).toBe(true);
    expect(again["changed"]).toBe(false);
    expect(record.body).toMatchObject({ status: "promoted", workReadinessScore: 72.5 });
    expect(record.body["assessments"]).toHaveLength((submission.assessments?.length ?? 0) + 1);
    for (const personal of [
      submission.firstName,
      submission.email,
      submission.externalId,
      "Canary",
      "https",
    ]) {
      expect(shown.stdout).not.toContain(personal);
    }
    expect(shown.stdout).toMatch(/Status +promoted/);
    expect(shown.stdout).toMatch(/Assessments +3, of which 1 by the platform/);
    expect(shown.stdout).toMatch(
      /identity_document 2 +versions: 1, current version uploaded 2026-01-01T00:00:00Z/,
    );
    expect(shown.stdout).toMatch(/Rejection 2 .*\n +a +One: two\n +b +Three/);
    expect(await json("candidates", "score", ...candidate, "--score", "none")).toMatchObject({
      workReadinessScore: null,
    });
    const { updatedAt } = await json("candidates", "revoke-consent", ...candidate);
    const which = ["--type", "identity_document", "--number", "2", "--updated-at", String(updatedAt)];
    expect(await json("candidates", "remove-document", ...candidate, ...which)).toMatchObject({
      status: "consent_revoked",
      changed: true,
    });
    expect(await json("candidates", "erase", ...candidate)).toMatchObject({
      status: "erased",
      firstSequence: 1,
      sequence: 6,
    });
  });
});

describe("platform candidates show", () => {
  test("finds a candidate by its externalId, even after an erasure, and prints no externalId", async () => {
    const { orgId, caller } = await anOrganisation();
    const { orgId: otherOrgId } = await anOrganisation();
    const externalId = `ada.${randomUUID()}@example.com`;
    const id = await received(caller, aSubmission({ externalId }));
    const show = ["candidates", "show", "--external-id", externalId];

    const shown = await json(...show, "--org", orgId);
    await json("candidates", "erase", "--org", orgId, "--id", id);
    const erased = await platform([...show, "--org", orgId]);
    const elsewhere = await platform([...show, "--org", otherOrgId]);

    expect(shown).toMatchObject({ stagedId: id, status: "received" });
    expect(erased.stdout).toMatch(/Status +erased/);
    expect(elsewhere).toMatchObject({ code: 1, stdout: "" });
    expect(elsewhere.stderr).toMatch(/^No candidate/);
    for (const { stdout, stderr } of [erased, elsewhere]) expect(stdout + stderr).not.toContain(externalId);
  });

  test.each([
    [
      1,
      "an organisation that does not exist",
      ["--org", "unheard-of", "--external-id", "x"],
      "There is no organisation unheard-of. Check its id.\n",
    ],
    [
      2,
      "an externalId that is none",
      ["--org", "unheard-of", "--external-id", ""],
      "--external-id: a string of 1 to 128 characters is expected\n",
    ],
  ])("exits with %i and one sentence for %s", async (code, _, args, sentence) => {
    expect(await platform(["candidates", "show", ...args])).toEqual({
      code,
      stdout: "",
      stderr: sentence,
    });
  });
});

describe.concurrent("platform deliveries and dead-letters", () => {
  test("list deliveries, resend one, and redrive dead letters", async ({ expect, onTestFinished }) => {
    const { orgId, caller } = await anOrganisation();
    const receiver = await aReceiver(undefined, onTestFinished);
    const { id: endpoint } = await registered(caller, receiver.url);
    await received(caller, aSubmission());
    const [first] = await receiver.waitFor(1);
    const at = ["--org", orgId, "--endpoint", endpoint];

    await expect
      .poll(async () => (await platform(["deliveries", "list", ...at])).stdout)
      .toMatch(/candidate\.received.*delivered/);
    const resent = await platform(["deliveries", "resend", ...at, "--event", String(first?.event.id)]);
    await receiver.waitFor(2);
    const list = await platform(["dead-letters", "list"]);
    const redriven = await platform(["dead-letters", "redrive"]);

    expect(resent.stdout).toContain("queued for delivery");
    expect(list.code).toBe(0);
    expect(redriven.stdout).toMatch(/deliveries: \d+ redriven, \d+ left\.\nevents: \d+ redriven, \d+ left\./);
  });
});

describe.concurrent("platform deliveries recover", () => {
  test("sends what an endpoint has not acknowledged, and shows how far it has come", async ({
    expect,
    onTestFinished,
  }) => {
    const { orgId, caller } = await anOrganisation();
    const stagedId = await received(caller, aSubmission());
    const receiver = await aReceiver(undefined, onTestFinished);
    const { id: endpoint } = await registered(caller, receiver.url);
    const at = ["--org", orgId, "--endpoint", endpoint];
    const since = new Date(Date.now() - 60_000).toISOString();

    const started = await platform(["deliveries", "recover", ...at, "--since", since]);
    const [delivery] = await receiver.waitFor(1);
    const [recovery = ""] = /rec_\w+/.exec(started.stdout) ?? [];
    const show = async () =>
      (await platform(["deliveries", "recovery", ...at, "--recovery", recovery])).stdout;

    await expect.poll(show).toMatch(/Status +completed/);
    expect(started.stdout).toMatch(/Status +running/);
    expect(started.stdout).toContain(since);
    expect(started.stdout).toContain(`deliveries recovery ${at.join(" ")} --recovery ${recovery}`);
    expect(delivery?.event.data["stagedId"]).toBe(stagedId);
  });

  test("begins, without a time, when the endpoint was set inactive, and says if nothing is left", async ({
    expect,
    onTestFinished,
  }) => {
    const { orgId, caller } = await anOrganisation();
    const receiver = await aReceiver(undefined, onTestFinished);
    const { id: endpoint } = await registered(caller, receiver.url);
    const endpoints = webhookEndpointsOf(caller);
    const at = ["--org", orgId, "--endpoint", endpoint];
    const recover = () => platform(["deliveries", "recover", ...at]);
    const nothing = { code: 0, stdout: expect.stringMatching(/^There is nothing to recover:/), stderr: "" };

    expect(await recover()).toEqual(nothing);
    const before = Date.now();
    await endpoints.update(endpoint, { active: false });
    const stagedId = await received(caller, aSubmission());
    await endpoints.update(endpoint, { active: true });
    const { since, status } = await json("deliveries", "recover", ...at);
    const [delivery] = await receiver.waitFor(1);

    expect(status).toBe("running");
    expect(Date.parse(String(since))).toBeGreaterThanOrEqual(before - 60_000);
    expect(delivery?.event.data["stagedId"]).toBe(stagedId);
    await expect.poll(recover).toEqual(nothing);
    expect(await json("deliveries", "recover", ...at)).toBeNull();
  });

  test("says why it is refused", async () => {
    const { orgId, caller } = await anOrganisation();
    const { id: endpoint } = await registered(caller, "https://receiver.example.com/");
    const at = ["--org", orgId, "--endpoint", endpoint];

    const since = ["--since", "2999-01-01T00:00:00Z"];
    const { code, stderr } = await platform(["deliveries", "recover", ...at, ...since]);

    expect([code, stderr]).toEqual([
      1,
      "--since: a time in the past and before the end of the recovery is expected\n",
    ]);
  });
});

describe("platform keyring", () => {
  test("reseals secrets until none is left", async () => {
    const { stdout } = await platform(["keyring", "reseal"]);

    expect(stdout).toMatch(/^Resealed the signing secrets of \d+ endpoints?\.\n$/);
  });
});

describe("the platform command", () => {
  test.each([
    [
      "an organisation that does not exist",
      ["keys", "create", "--org", "mistyped", "--name", "x"],
      /no organisation mistyped\. Check its id, .*--new-organisation/,
    ],
    [
      "a key that has expired already",
      ["keys", "create", "--org", "a", "--new-organisation", "--name", "x", "--expires", "2020-01-01"],
      /^--expires: a date-time in the future/,
    ],
    [
      "the keys of an organisation that does not exist",
      ["keys", "list", "--org", "mistyped"],
      /^The organisation mistyped does not exist, .+ Check its id\.$/m,
    ],
    [
      "the same as JSON",
      ["--json", "keys", "list", "--org", "mistyped"],
      /^The organisation mistyped does not exist/,
    ],
    ["a key that is unknown", ["keys", "revoke", "--key", `key_${"0".repeat(26)}`], /No key has the id/],
    [
      "a candidate that is unknown",
      ["candidates", "verify", "--org", "a", "--id", "staged_x"],
      /^No candidate of organisation a has this handle or externalId\. Check it\.$/m,
    ],
  ])("exits with 1 and one sentence for %s", async (_, args, sentence) => {
    const { code, stdout, stderr } = await platform(args);

    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  // The tests of `keys identify` show that the process exits with 0 and 1.
  test("exits with 2 in a process of its own if it is misused", async () => {
    const { code, stdout, stderr } = await platformProcess(["hire"]);

    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Usage: platform");
  });
});
