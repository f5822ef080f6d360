import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { aSubmission } from "../../builders/submission.ts";
import { runPush, startPush } from "../command.ts";
import { answers, aService, refuses, type SeenRequest, type Step } from "../scripted-service.ts";
import { aFile, entriesOf, ndjson } from "./files.ts";

const submissions = (count: number) =>
  Array.from({ length: count }, (_, at) => aSubmission({ externalId: `ext-${at + 1}` }));

const accepts: Step = (response, request) =>
  answers(201, { stagedId: `staged_${externalIdOf(request)}`, status: "received" })(response, request);

function externalIdOf({ body }: SeenRequest): string {
  return JSON.parse(body).externalId;
}

const key = "rr_dev_secret";

function environmentOf({ baseUrl }: { readonly baseUrl: string }) {
  return { CANDIDATES_URL: baseUrl, CANDIDATES_API_KEY: key };
}

describe("candidates push", () => {
  test("pushes valid rows and writes the refused ones with line and reason to a private file", async () => {
    const service = await aService((response, request) =>
      externalIdOf(request) === "ext-2"
        ? refuses(413, "payload_too_large")(response, request)
        : accepts(response, request),
    );
    const [first, second, third] = submissions(3);
    const invalid = { ...third, email: "nobody" };
    const file = await aFile("rows.ndjson", `${ndjson([first, second, invalid])}{"half":\n`);

    const { code, stdout } = await runPush([file], { env: environmentOf(service) });

    expect(code).toBe(1);
    expect(stdout).toMatch(/^4 rows in .*: 1 created, 3 refused\.\nReasons for each row: .*\n$/);
    const refused = `${file}.refused.ndjson`;
    expect(
      (await entriesOf(refused)).sort((one, other) => Number(one["line"]) - Number(other["line"])),
    ).toEqual([
      {
        line: 2,
        externalId: "ext-2",
        code: "payload_too_large",
        reason: "Told as payload_too_large.",
        requestId: "req-1",
        row: second,
      },
      {
        line: 3,
        externalId: "ext-3",
        code: "invalid_request",
        reason: expect.stringMatching(/^email: /),
        row: invalid,
      },
      { line: 4, code: "invalid_request", reason: "the line is not JSON", row: '{"half":' },
    ]);
    expect((await stat(refused)).mode & 0o777).toBe(0o600);
    expect(service.requests.map(externalIdOf).sort()).toEqual(["ext-1", "ext-2"]);
    expect(service.requests[0]?.headers["x-api-key"]).toBe(key);
    expect(await readdir(dirname(file))).toEqual(["rows.ndjson", "rows.ndjson.refused.ndjson"]);
  });

  test("reads standard input, from any folder, and exits with 0 when all rows are done", async () => {
    const service = await aService(accepts);
    const folder = dirname(await aFile("x", ""));

    const { code, stdout } = await runPush(["-", "--format", "json", "--url", service.baseUrl], {
      env: { CANDIDATES_API_KEY: key },
      input: JSON.stringify(submissions(3)),
      cwd: folder,
    });

    expect(code).toBe(0);
    expect(stdout).toMatch(/^3 rows in \d+ s: 3 created\.\n$/);
    expect(await readdir(folder)).toEqual(["x"]);
  });

  test("validates without a service on --dry-run, and leaves an earlier push's files unchanged", async () => {
    const file = await aFile(
      "rows.csv",
      "externalId,firstName,lastName,email,countryOfResidence,consentGiven\n1,2,3,4,5,6\n",
    );

    const { code, stdout } = await runPush([file, "--dry-run"]);

    expect(code).toBe(1);
    expect(stdout).toContain("1 refused");
    const [entry] = await entriesOf(`${file}.dry-run.refused.ndjson`);
    expect(entry).toMatchObject({ line: 2, externalId: "1" });
    expect(await readdir(dirname(file))).toEqual(["rows.csv", "rows.csv.dry-run.refused.ndjson"]);
  });

  test("resumes after it was killed, without pushing an answered row again", async () => {
    const answered = new Set<string>();
    const service = await aService((response, request) => {
      answered.add(externalIdOf(request));
      if (answered.size === 40) child.process.kill("SIGKILL");
      accepts(response, request);
    });
    const file = await aFile("rows.ndjson", ndjson(submissions(100)));
    const env = environmentOf(service);
    const child = startPush([file, "--concurrency", "4"], { env });
    await child.ended;
    const before = service.requests.map(externalIdOf);

    const { code, stdout } = await runPush([file, "--concurrency", "4"], { env });

    const after = service.requests.slice(before.length).map(externalIdOf);
    const twice = after.filter((externalId) => before.includes(externalId));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^100 rows in .*: \d+ done earlier, \d+ created\.\n$/);
    expect(new Set([...before, ...after]).size).toBe(100);
    // Those whose answer had not been read when it was killed: at most one for each lane, and the one before.
    expect(twice.length).toBeLessThanOrEqual(8);
    expect(await readdir(dirname(file))).toEqual(["rows.ndjson"]);
  });

  test("stops at once on the second Ctrl-C although the service does not respond", async () => {
    const service = await aService(() => {});
    const file = await aFile("rows.ndjson", ndjson(submissions(3)));
    const child = startPush([file], { env: environmentOf(service) });
    await expect.poll(() => service.requests.length, { timeout: 15_000 }).toBe(3);

    child.process.kill("SIGINT");
    await once(child.process.stderr ?? child.process, "data");
    const startedAt = performance.now();
    const again = setInterval(() => child.process.kill("SIGINT"), 100);
    const { code } = await child.ended;
    clearInterval(again);

    expect(code).toBe(130);
    expect(performance.now() - startedAt).toBeGreaterThan(300);
  });

  test("resumes an earlier push only for the same file, address and options", async () => {
    const stops: Step = (response, request) =>
      externalIdOf(request) === "ext-3"
        ? refuses(401, "unauthorized")(response, request)
        : accepts(response, request);
    const service = await aService(stops);
    const file = await aFile("rows.ndjson", ndjson(submissions(3)));
    const push = (env: Record<string, string>, ...more: string[]) =>
      runPush([file, "--concurrency", "1", ...more], { env });

    const first = await push(environmentOf(service));
    const again = await push(environmentOf(service));
    const journal = await readFile(`${file}.push-journal`, "utf8");
    const elsewhere = await push({ ...environmentOf(service), CANDIDATES_API_KEY: "rr_dev_other" });

    expect(first).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^unauthorized: .* \(request req-1\)\n$/),
    });
    expect(first.stdout).toContain("Run the same command again");
    expect(again.stdout).toMatch(/2 done earlier\./);
    expect(elsewhere.stdout).toMatch(/2 created\./);
    expect(journal).not.toContain(key);
  });

  test("slows down all requests after a 429, and refuses no row because of it", async () => {
    const arrivals: number[] = [];
    const service = await aService((response, request) => {
      arrivals.push(performance.now());
      if (arrivals.length === 5) refuses(429, "rate_limited", { "Retry-After": "1" })(response, request);
      else accepts(response, request);
    });
    const file = await aFile("rows.ndjson", ndjson(submissions(40)));

    const { code, stdout } = await runPush([file, "--concurrency", "2"], { env: environmentOf(service) });

    expect(code).toBe(0);
    expect(stdout).toContain("40 created.");
    expect(arrivals).toHaveLength(41);
    const refusedAt = arrivals[4] ?? 0;
    // The other lane may have had a row on its way.
    expect(arrivals.filter((at) => at > refusedAt && at < refusedAt + 900).length).toBeLessThanOrEqual(2);
  });

  test("uses little memory, however long the file is", async () => {
    const rows = ndjson(submissions(10).map((row) => ({ ...row, summary: "x".repeat(4900) }))).repeat(1500);

    const { code, stdout } = await runPush(["-", "--format", "ndjson", "--dry-run"], {
      env: { NODE_OPTIONS: "--max-old-space-size=40" },
      input: rows,
    });

    expect(stdout).toContain("15,000 valid");
    expect(code).toBe(0);
  });
});

test("candidates push reports a journal that cannot be written before it pushes anything", async () => {
  const service = await aService(accepts);
  const file = await aFile("rows.ndjson", ndjson(submissions(1)));

  const { code, stderr } = await runPush([file, "--journal", join(dirname(file), "none", "journal")], {
    env: environmentOf(service),
  });

  expect(code).toBe(1);
  expect(stderr).toMatch(/cannot be written \(ENOENT\)\. .*--journal/);
  expect(service.requests).toHaveLength(0);
});

describe("candidates push with wrong arguments", () => {
  test.each<[string, (file: string) => string[], RegExp]>([
    ["no file", () => [], /missing required argument/],
    ["a file that is not there", (file) => [`${file}.ndjson`], /cannot be read/],
    ["a file that does not tell its format", (file) => [file], /--format/],
    ["a folder", (file) => [dirname(file), "--format", "csv"], /is not a file/],
    ["no address", (file) => [file, "--format", "csv"], /CANDIDATES_URL/],
    ["no key", (file) => [file, "--format", "csv", "--url", "http://localhost"], /CANDIDATES_API_KEY/],
    ["no real address", (file) => [file, "--format", "csv", "--url", "x", "--key", "k"], /baseUrl/],
    ["an unknown format", (file) => [file, "--format", "xml"], /Allowed choices/],
    ["no real concurrency", (file) => [file, "--concurrency", "0"], /from 1 to 64/],
    [
      "columns that are none",
      (file) => [file, "--format", "csv", "--dry-run", "--columns", file],
      /is not a column mapping/,
    ],
    ["headings that are none", (file) => [file, "--format", "csv", "--dry-run"], /"Name" is not a member/],
    [
      "its own file as another",
      (file) => [file, "--format", "csv", "--dry-run", "--refused-file", file],
      /overwritten/,
    ],
    ["an unknown option", (file) => [file, "--fast"], /unknown option/],
  ])("exits with 2 and says what to do for %s", async (_, args, message) => {
    const file = await aFile("rows.txt", "Name\nAda\n");

    const { code, stdout, stderr } = await runPush(args(file));

    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stdout).toBe("");
    expect(await readdir(dirname(file))).toEqual(["rows.txt"]);
  });
});
