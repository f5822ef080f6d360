import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, inject, test } from "vitest";
import { aFullSubmission, anExternalId, aSubmission } from "../builders/submission.ts";
import { runPush, startPush } from "../client/command.ts";
import { aFile, entriesOf, ndjson } from "../client/push/files.ts";
import { eightAtATime } from "./client.ts";
import { anOrganisation } from "./platform.ts";

/** An organisation of its own, and the variables that the command finds its key in. */
async function aPartner() {
  const { caller, apiKey } = await anOrganisation();
  return { caller, env: { CANDIDATES_URL: inject("baseUrl"), CANDIDATES_API_KEY: apiKey } };
}

test("a push that is interrupted and resumed creates each candidate and reports each refusal", async () => {
  const { caller, env } = await aPartner();
  const prefix = anExternalId();
  const rows = Array.from({ length: 600 }, (_, at) =>
    aSubmission({ externalId: `${prefix}-${at + 1}`, ...(at % 75 === 74 && { email: "nobody" }) }),
  );
  const file = await aFile("candidates.ndjson", ndjson(rows));

  const first = startPush([file, "--concurrency", "1"], { env });
  await expect
    .poll(async () => (await readFile(`${file}.push-journal`, "utf8").catch(() => "")).split("\n").length, {
      interval: 20,
    })
    .toBeGreaterThan(100);
  first.process.kill("SIGINT");
  const interrupted = await first.ended;
  const journal = await readFile(`${file}.push-journal`, "utf8");
  const done = journal.match(/^\d+[.!]$/gm) ?? [];
  const resumed = await runPush([file], { env });

  expect(interrupted.code).toBe(130);
  expect(interrupted.stdout).toContain("Run the same command again");
  expect(done.length).toBeLessThan(600);
  expect(resumed.code).toBe(1);
  expect(resumed.stdout).toMatch(/^600 rows in /);
  expect(resumed.stdout).not.toContain("already existed");
  expect(resumed.stdout).toContain(`${done.filter((entry) => entry.endsWith(".")).length} done earlier`);
  expect((await entriesOf(`${file}.refused.ndjson`)).map(({ line }) => line)).toEqual([
    75, 150, 225, 300, 375, 450, 525, 600,
  ]);
  const some = rows.filter((_, at) => at % 25 === 0);
  for (const { status } of await eightAtATime(some, ({ externalId }) => caller.findCandidate(externalId))) {
    expect(status).toBe(200);
  }
  expect((await readdir(dirname(file))).sort()).toEqual([
    "candidates.ndjson",
    "candidates.ndjson.refused.ndjson",
  ]);
});

test("a CSV file is pushed by its columns, and updated with --update", async () => {
  const { caller, env } = await aPartner();
  const [known, withdrawn, fresh] = [anExternalId(), anExternalId(), anExternalId()];
  const { body: receipt } = await caller.createCandidate(aFullSubmission({ externalId: known }));
  const { body: other } = await caller.createCandidate(aSubmission({ externalId: withdrawn }));
  await caller.amendCandidate(other["stagedId"], { consentGiven: false });
  const lines = [known, withdrawn, fresh].map(
    (externalId) => `${externalId};Grace;Hopper;grace@example.com;US;TRUE;Compilers;30;"[""navy""]";`,
  );
  const file = await aFile(
    "candidates.csv",
    `id;First;lastName;email;countryOfResidence;consentGiven;skills[0].name;skills[0].yearsExperience;tags;headline\n${lines.join("\n")}\n`,
  );
  const columns = await aFile("columns.json", JSON.stringify({ id: "externalId", First: "firstName" }));
  const options = ["--delimiter", ";", "--columns", columns];

  const created = await runPush([file, ...options], { env });
  const updated = await runPush([file, ...options, "--update"], { env });

  expect(created.stdout).toMatch(/: 1 created, 2 already existed\.\n.*--update/);
  expect(created.code).toBe(0);
  expect(updated.stdout).toMatch(/: 1 amended, 1 already up to date as far as compared, 1 refused\./);
  expect(updated.code).toBe(1);
  expect(await entriesOf(`${file}.refused.ndjson`)).toMatchObject([
    { line: 3, externalId: withdrawn, code: "consent_revoked", requestId: expect.any(String) },
  ]);
  const { body: record } = await caller.getCandidate(receipt["stagedId"]);
  expect(record).toMatchObject({
    firstName: "Grace",
    skills: [{ name: "Compilers", yearsExperience: 30 }],
    headline: aFullSubmission().headline,
    tags: aFullSubmission().tags,
  });
  expect((await caller.findCandidate(fresh)).body).toMatchObject({ tags: ["navy"], headline: null });
  expect((await caller.findCandidate(withdrawn)).status, "it is not given back its access").toBe(404);
});

test("the CSV file in the README can be pushed", async () => {
  const { env } = await aPartner();
  const readme = await readFile("client/README.md", "utf8");
  const csv = readme.match(/^```csv\n(.*?)^```$/ms)?.[1] ?? "";
  const file = await aFile("candidates.csv", "");
  await writeFile(file, csv);

  expect(await runPush([file], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("2 created"),
  });
});
