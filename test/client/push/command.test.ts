import { once } from "node:events";
import { rmSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { Journal } from "../../../client/push/journal.ts";
import { freePort } from "../../../local/machine/free-port.ts";
import { runPush, startPush } from "../command.ts";
import { commandHere } from "../command-here.ts";
import { aService, refuses, responds, type Step } from "../scripted-service.ts";
import { aCandidateService, externalIdsIn } from "./candidate-service.ts";
import { aFile, entriesOf, ndjson } from "./files.ts";
import { environmentOf, key, push, submissions } from "./run-push.ts";

const skills = Array.from({ length: 100 }, () => ({
  name: "x".repeat(120),
  yearsExperience: 1,
  proficiency: "expert",
}));

describe("candidates push", () => {
  test("pushes valid rows and writes the refused ones with line and reason to a private file", async () => {
    const service = await aCandidateService({
      result: ({ externalId }) =>
        externalId === "ext-2" ? { status: 413, error: "payload_too_large" } : undefined,
    });
    const [first, second, third] = submissions(3);
    const invalid = { ...third, email: "nobody" };
    const file = await aFile("rows.ndjson", `${ndjson([first, second, invalid])}{"half":\n`);

    const { code, stdout } = await runPush([file], { env: environmentOf(service) });

    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^4 rows in .*: 1 created, 3 refused\.\n(?: {2}line [234]: .*\n){3}Reasons for each row: .*\n$/,
    );
    const refused = `${file}.refused.ndjson`;
    expect(
      (await entriesOf(refused)).sort((one, other) => Number(one["line"]) - Number(other["line"])),
    ).toEqual([
      {
        line: 2,
        externalId: "ext-2",
        code: "payload_too_large",
        reason: "Message of payload_too_large.",
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
    expect(externalIdsIn(service.requests)).toEqual(["ext-1", "ext-2"]);
    expect(service.requests[0]?.headers["x-api-key"]).toBe(key);
    expect(await readdir(dirname(file))).toEqual(["rows.ndjson", "rows.ndjson.refused.ndjson"]);
  });

  test("prints the reasons of the first five refused rows in the order of their lines", async () => {
    const service = await aCandidateService({
      result: ({ externalId }) =>
        externalId === "ext-2" ? { status: 413, error: "payload_too_large" } : undefined,
    });
    // The service's refusal is known when all rows have been read.
    const rows = submissions(8).map((row, at) => (at > 2 ? { ...row, email: "nobody" } : row));
    const file = await aFile("rows.ndjson", ndjson(rows));

    const { stdout } = await push([file], { env: environmentOf(service) });

    expect(stdout.match(/^ {2}line \d+/gm)?.map((line) => line.trim())).toEqual([
      "line 2",
      "line 4",
      "line 5",
      "line 6",
      "line 7",
    ]);
  });

  test("reads standard input, from any folder, and exits with 0 when all rows are done", async () => {
    const service = await aCandidateService();
    const folder = dirname(await aFile("x", ""));

    const { code, stdout } = await runPush(["-", "--format", "json", "--url", service.baseUrl], {
      env: { CANDIDATES_API_KEY: key },
      input: JSON.stringify(submissions(3)),
      cwd: folder,
    });

    expect(code).toBe(0);
    expect(stdout).toMatch(/^3 rows in (?:under )?\d+ s: 3 created\.\n$/);
    expect(await readdir(folder)).toEqual(["x"]);
  });

  test("validates without a service on --dry-run, and leaves an earlier push's files unchanged", async () => {
    const file = await aFile(
      "rows.csv",
      "externalId,firstName,lastName,email,countryOfResidence,consentGiven\n1,2,3,4,5,6\n",
    );

    const journal = "push abcdef d1\nbegun 2026-11-26T00:00:00.000Z\n1.\n";
    await writeFile(`${file}.push-journal`, journal);

    const { code, stdout } = await push([file, "--dry-run"]);

    expect(code).toBe(1);
    expect(stdout).toContain("1 refused");
    const [entry] = await entriesOf(`${file}.dry-run.refused.ndjson`);
    expect(entry).toMatchObject({ line: 2, externalId: "1" });
    expect(await readdir(dirname(file))).toEqual([
      "rows.csv",
      "rows.csv.dry-run.refused.ndjson",
      "rows.csv.push-journal",
    ]);
    expect(await readFile(`${file}.push-journal`, "utf8")).toBe(journal);
  });

  test("keeps a number that JavaScript cannot hold out of the refused row's valid values", async () => {
    const file = await aFile("rows.ndjson", '{"externalId":"1","score":1e400}\n');

    await push([file, "--dry-run"]);

    const [entry] = await entriesOf(`${file}.dry-run.refused.ndjson`);
    expect(entry).toMatchObject({ row: { externalId: "1", score: "Infinity" } });
  });

  test("counts the rows of a JSON array in items", async () => {
    const [first, second] = submissions(2);
    const file = await aFile("rows.json", JSON.stringify([first, { ...second, externalId: "ext-1" }]));

    const { stdout } = await push([file, "--dry-run"]);

    expect(stdout).toContain("item 2: externalId: items 1 and 2 have the same externalId");
    expect(await entriesOf(`${file}.dry-run.refused.ndjson`)).toMatchObject([{ item: 2 }]);
  });

  test("names in --help the file to which a dry run writes refused rows", async () => {
    const { stdout } = await push(["--help"]);

    expect(stdout.replace(/\s+/g, " ")).toContain("refused rows go to <file>.dry-run.refused.ndjson");
  });

  test("resumes after it was killed amid a batch, and sends again only rows without a response", async () => {
    let batches = 0;
    const service = await aCandidateService({
      receivedAt: () => new Date(),
      instead: () => {
        batches += 1;
        if (batches === 5) child.process.kill("SIGKILL");
        return undefined;
      },
    });
    const rows = submissions(1000).map((row, at) => (at % 300 === 299 ? { ...row, email: "nobody" } : row));
    const file = await aFile("rows.ndjson", ndjson(rows));
    const env = environmentOf(service);
    const child = startPush([file, "--concurrency", "2"], { env });
    await child.ended;
    const before = externalIdsIn(service.requests);

    const { code, stdout } = await runPush([file, "--concurrency", "2"], { env });

    const after = externalIdsIn(service.requests).slice(before.length);
    const twice = after.filter((externalId) => before.includes(externalId));
    expect(code).toBe(1);
    expect(stdout).toMatch(/^1,000 rows in .*: \d+ done earlier, \d+ created, 3 refused\.\n/);
    expect(service.candidates.size).toBe(997);
    expect(new Set([...before, ...after]).size).toBe(997);
    // Those whose response had not been read when it was killed: a batch for each lane, and the one before.
    expect(twice.length).toBeLessThanOrEqual(300);
    expect((await entriesOf(`${file}.refused.ndjson`)).map(({ line }) => line)).toEqual([300, 600, 900]);
    expect(await readdir(dirname(file))).toEqual(["rows.ndjson", "rows.ndjson.refused.ndjson"]);
  });

  test("sends a hundredth of the requests, each with at most 100 rows and 4 MiB", async () => {
    const service = await aCandidateService();
    const small = submissions(1000);
    const large = submissions(1060)
      .slice(1000)
      .map((row) => ({ ...row, summary: "x".repeat(5000), skills }));
    const file = await aFile("rows.ndjson", ndjson([...small, ...large]));

    const { stdout } = await push([file], { env: environmentOf(service) });

    expect(stdout).toContain("1,060 created.");
    expect(service.requests.slice(0, 10).map(({ path }) => path)).toEqual(
      Array(10).fill("/v1/candidate-batches"),
    );
    expect(service.requests.length).toBeLessThanOrEqual(13);
    expect(Math.max(...service.requests.map(({ body }) => Buffer.byteLength(body)))).toBeLessThanOrEqual(
      4 * 1024 ** 2,
    );
  });

  test("pushes row by row to a service without batches", async () => {
    const service = await aCandidateService({
      instead: ({ path }) => (path === "/v1/candidate-batches" ? refuses(404, "not_found") : undefined),
    });
    const file = await aFile("rows.ndjson", ndjson(submissions(250)));

    const { code, stdout } = await push([file, "--concurrency", "1"], { env: environmentOf(service) });

    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("250 created.") });
    expect(service.requests).toHaveLength(251);
  });

  test.each<[string, Step]>([
    ["the service's own, for a path that it does not have", refuses(404, "not_found")],
    ["API Gateway's, without the stage", responds(403, { message: "Forbidden" })],
    ["a web site's", (response) => response.writeHead(404).end("<html>")],
    ["another API's", refuses(405, "method_not_allowed")],
  ])("ends before a row is refused if the response is %s, and shows the address", async (_, step) => {
    const service = await aService(step);
    const file = await aFile("rows.ndjson", ndjson(submissions(250)));
    const url = `${service.baseUrl}/elsewhere`;

    const { code, stdout, stderr } = await push([file, "--url", url, "--key", key]);

    expect(code).toBe(1);
    expect(stdout).toMatch(/^Set the address /);
    expect(stderr).toContain(`${url} does not lead to the service's paths (status code 40`);
    expect(stderr).toContain("Give the base address of the environment, such as https://api.example.com;");
    expect(await readdir(dirname(file))).toEqual(["rows.ndjson"]);
  });

  test.each(["--dry-run", "--concurrency=2"])(
    "refuses a row that repeats an externalId, with both lines (%s)",
    async (option) => {
      const service = await aCandidateService();
      const [first, second, third] = submissions(3);
      const file = await aFile("rows.ndjson", ndjson([first, second, { ...third, externalId: "ext-1" }]));

      const { code, stdout } = await push([file, option], { env: environmentOf(service) });

      expect(code).toBe(1);
      expect(stdout).toContain("line 3: externalId: lines 1 and 3 have the same externalId");
      expect(externalIdsIn(service.requests)).not.toContain("ext-3");
      expect(service.candidates.get("ext-1")).toEqual(option === "--dry-run" ? undefined : first);
    },
  );

  test("finds a repeated externalId also if its first row was pushed by an earlier run", async () => {
    let isDown = true;
    const service = await aCandidateService({
      instead: (_, rows) =>
        isDown && rows[0]?.externalId === "ext-101" ? refuses(401, "unauthorized") : undefined,
    });
    const file = await aFile("rows.ndjson", ndjson([...submissions(300), ...submissions(1)]));
    const options = { env: environmentOf(service) };
    await push([file, "--concurrency", "1"], options);
    isDown = false;

    const { stdout } = await push([file, "--concurrency", "1"], options);

    expect(stdout).toMatch(/: 100 done earlier, 200 created, 1 refused\./);
    expect(stdout).toContain("line 301: externalId: lines 1 and 301 have the same externalId");
  });

  test("ends at once, with cause, host and port, if the address refuses connections", async () => {
    const file = await aFile("rows.ndjson", ndjson(submissions(3)));
    const port = await freePort("127.0.0.1");
    const startedAt = performance.now();

    const { code, stdout, stderr } = await push([file, "--url", `http://127.0.0.1:${port}`, "--key", "k"]);

    expect(code).toBe(1);
    expect(stderr).toBe(
      `127.0.0.1:${port} refuses connections (ECONNREFUSED): nothing listens there. Check the address http://127.0.0.1:${port}, and that the service is running.\n`,
    );
    expect(stdout).toBe("Run the same command again to push the remaining rows.\n");
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(await readdir(dirname(file))).toEqual(["rows.ndjson"]);
  });

  test("ends at once if the address has https but the port speaks http", async () => {
    const service = await aService(responds(200, {}));
    const url = service.baseUrl.replace("http:", "https:");

    const { code, stdout, stderr } = await push([await aFile("rows.ndjson", ndjson(submissions(1)))], {
      env: environmentOf({ baseUrl: url }),
    });

    expect(code).toBe(1);
    expect(stdout).toContain("Set the address of the environment with CANDIDATES_URL or --url");
    expect(stderr).toContain(
      "does not speak HTTPS (ERR_SSL_WRONG_VERSION_NUMBER): its address may begin with http://.",
    );
  });

  test("continues if a service that has responded refuses connections for a moment", async () => {
    let seen = 0;
    const service = await aCandidateService({
      instead: () => {
        seen += 1;
        return seen === 2 ? (response) => response.destroy() : undefined;
      },
    });
    const file = await aFile("rows.ndjson", ndjson(submissions(300)));

    const { code, stdout } = await push([file, "--concurrency", "1"], { env: environmentOf(service) });

    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("300 created.") });
  });

  test("amends candidates that differ on --update, and says which were up to date", async () => {
    const service = await aCandidateService();
    const rows = submissions(3).map((row) => ({ ...row, headline: "Analyst" }));
    service.candidates.set("ext-1", rows[0] as object).set("ext-2", { ...rows[1], headline: "Clerk" });
    const file = await aFile("rows.ndjson", ndjson(rows));

    const { code, stdout } = await push([file, "--update"], { env: environmentOf(service) });

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/: 1 created, 1 amended, 1 already up to date as far as compared\.\n/),
    });
    expect(service.candidates.get("ext-2")).toMatchObject({ headline: "Analyst" });
  });

  test("says on --update which members of existing candidates were neither compared nor changed", async () => {
    const service = await aCandidateService();
    const [first, second, third] = submissions(3);
    const rows = [{ ...first, gender: "female" }, { ...second, headline: "Analyst" }, third];
    service.candidates.set("ext-1", { ...first, email: "other@example.com" }).set("ext-2", second as object);
    const file = await aFile("rows.ndjson", ndjson(rows));

    const { code, stdout } = await push([file, "--update"], { env: environmentOf(service) });

    expect(code).toBe(0);
    expect(stdout).toMatch(
      /: 1 created, 1 amended, 1 already up to date as far as compared\.\nThese members of existing candidates were neither compared nor changed, because reads do not return them and an update cannot change them: email \(2 rows\), gender \(1 row\)\.\n$/,
    );
  });

  test("says on --update in which members candidates differ from their rows for good", async () => {
    const service = await aCandidateService();
    const rows = submissions(3).map((row) => ({ ...row, headline: "Analyst", countryOfResidence: "FR" }));
    service.candidates
      .set("ext-1", { ...rows[0], countryOfResidence: "GB" })
      .set("ext-2", { ...rows[1], countryOfResidence: "GB", headline: "Clerk" })
      .set("ext-3", rows[2] as object);
    const file = await aFile("rows.ndjson", ndjson(rows));

    const { code, stdout } = await push([file, "--update"], { env: environmentOf(service) });

    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^3 rows in .*: 1 amended, 1 already up to date as far as compared, 1 not changed\.\nAn update cannot change these members, which differ from the rows: countryOfResidence \(2 rows\)\.\n/,
    );
  });

  test("stops at once on the second Ctrl-C although the service does not respond", async () => {
    const service = await aService(() => {});
    const file = await aFile("rows.ndjson", ndjson(submissions(3)));
    const child = startPush([file], { env: environmentOf(service) });
    await expect.poll(() => service.requests.length).toBe(1);

    const startedAt = performance.now();
    child.process.kill("SIGINT");
    await once(child.process.stderr ?? child.process, "data");
    const again = setInterval(() => child.process.kill("SIGINT"), 100);
    const { code } = await child.ended;
    clearInterval(again);

    expect(code).toBe(130);
    expect(performance.now() - startedAt).toBeGreaterThan(300);
    expect(await readdir(dirname(file))).toEqual(["rows.ndjson", "rows.ndjson.push-journal"]);
  });

  test("ends at once on Ctrl-C while it waits because the service requested it", async () => {
    const service = await aService(refuses(429, "rate_limited", { "Retry-After": "50" }));
    const file = await aFile("rows.ndjson", ndjson(submissions(3)));
    const child = startPush([file], { env: environmentOf(service) });
    await once(child.process.stderr ?? child.process, "data");
    const startedAt = performance.now();

    child.process.kill("SIGINT");
    const { code, stderr } = await child.ended;

    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(code).toBe(130);
    expect(stderr).toContain("the service asked callers to wait");
    expect(service.requests).toHaveLength(1);
  });

  test("ends on Ctrl-C before any row is sent, and leaves no lock", async () => {
    const open = vi.spyOn(Journal, "open").mockReturnValueOnce(new Promise(() => {}));
    const file = await aFile("rows.ndjson", ndjson(submissions(3)));
    const command = commandHere(["push", file, "--url", "http://127.0.0.1:9", "--key", key]);
    await expect.poll(() => open.mock.calls.length).toBe(1);

    command.interrupt();
    const { code, stdout, stderr } = await command.ended;

    expect([code, stdout, stderr]).toEqual([130, "", ""]);
    expect(await readdir(dirname(file))).toEqual(["rows.ndjson"]);
  });

  test.each([
    ["ndjson", '{"externalId":"ext-1"}\n{"exter'],
    ["json", '[{"externalId":"ext-1"},'],
    ["csv", 'externalId,firstName,lastName,email,countryOfResidence,consentGiven\n"'],
  ])("ends on Ctrl-C while nobody writes its standard input, of %s", async (format, input) => {
    const refused = await aFile("refused.ndjson", "");
    const stdin = new PassThrough();
    stdin.write(input);
    const args = ["push", "-", "--format", format, "--dry-run", "--refused-file", refused];
    const command = commandHere(args, stdin);
    await expect.poll(() => stdin.readableLength).toBe(0);

    command.interrupt();
    const { code, stderr } = await command.ended;

    expect(code).toBe(130);
    expect(stderr).toBe("\nFinishing the rows in progress. Press Ctrl-C again to stop at once.\n");
  });

  test("ends at once when the service refuses the key, while nobody writes its standard input", async () => {
    const service = await aService(refuses(401, "unauthorized"));
    const refused = await aFile("refused.ndjson", "");
    const stdin = new PassThrough();
    stdin.write(ndjson(submissions(100)));
    const args = ["push", "-", "--format", "ndjson", "--refused-file", refused, "--url", service.baseUrl];

    const { code, stdout, stderr } = await commandHere([...args, "--key", key], stdin).ended;

    expect(code).toBe(1);
    expect(stderr).toMatch(/^unauthorized: /);
    expect(stdout).toMatch(/^Set a valid key /);
  });

  test("refuses rows again if the file with their reasons has disappeared", async () => {
    const service = await aCandidateService({
      instead: (_, rows) =>
        rows.some(({ externalId }) => externalId === "ext-150") ? refuses(401, "unauthorized") : undefined,
    });
    const rows = submissions(150).map((row, at) => (at === 1 ? { ...row, email: "nobody" } : row));
    const file = await aFile("rows.ndjson", ndjson(rows));
    const run = () => push([file, "--concurrency", "1"], { env: environmentOf(service) });
    await run();
    rmSync(`${file}.refused.ndjson`);

    const { stdout } = await run();

    expect(stdout).toMatch(/ 100 done earlier, 1 refused\./);
    expect(await entriesOf(`${file}.refused.ndjson`)).toMatchObject([{ line: 2 }]);
  });

  test("keeps the refused rows of an earlier push until a row is done or refused", async () => {
    const service = await aCandidateService({
      instead: ({ headers }) =>
        headers["x-api-key"] === "rr_dev_wrong" ? refuses(401, "unauthorized") : undefined,
    });
    const refused = await aFile("refused.ndjson", "");
    const run = (rows: readonly unknown[], env = environmentOf(service)) =>
      push(["-", "--format", "ndjson", "--refused-file", refused], { env, input: ndjson(rows) });
    const [first, second] = submissions(2);
    const identifiers = async () => (await entriesOf(refused)).map(({ externalId }) => externalId);
    await run([{ ...first, email: "nobody" }]);

    const empty = await run([]);
    const mistaken = await run([first], { ...environmentOf(service), CANDIDATES_API_KEY: "rr_dev_wrong" });
    const afterMistakes = await identifiers();
    await run([{ ...second, email: "nobody" }]);
    const afterRefusal = await identifiers();
    await run([first]);

    expect([empty.code, mistaken.code]).toEqual([2, 1]);
    expect([afterMistakes, afterRefusal, await identifiers()]).toEqual([["ext-1"], ["ext-2"], []]);
  });

  test("resumes an earlier push only for the same file, address and options", async () => {
    const service = await aCandidateService({
      instead: ({ headers }, rows) =>
        headers["x-api-key"] === "rr_dev_wrong" || rows.some(({ externalId }) => externalId === "ext-150")
          ? refuses(401, "unauthorized")
          : undefined,
    });
    const file = await aFile("rows.ndjson", ndjson(submissions(150)));
    const run = (env: Record<string, string>, ...more: string[]) =>
      push([file, "--concurrency", "1", ...more], { env });

    const first = await run(environmentOf(service));
    const again = await run(environmentOf(service));
    const journal = await readFile(`${file}.push-journal`, "utf8");
    const mistaken = await run({ ...environmentOf(service), CANDIDATES_API_KEY: "rr_dev_wrong" });
    const afterMistake = await readFile(`${file}.push-journal`, "utf8");
    const elsewhere = await run({ ...environmentOf(service), CANDIDATES_API_KEY: "rr_dev_other" });

    expect(first).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^unauthorized: .* \(request req-1\)\n$/),
    });
    expect(first.stdout).toContain("\nSet a valid key of this environment with CANDIDATES_API_KEY or --key,");
    expect(again.stdout).toMatch(/100 done earlier\./);
    expect(mistaken.code).toBe(1);
    expect(afterMistake.trim()).toBe(journal.trim());
    expect(elsewhere.stdout).toMatch(/100 already existed\./);
    expect(journal).not.toContain(key);
  });

  test.each([
    ["another address", "--url"],
    ["--update", "--update"],
    ["another --null", "--null=NULL"],
  ])("starts an interrupted push again from its first row with %s", async (_, option) => {
    const service = async () =>
      aCandidateService({
        instead({ path }, rows) {
          if (path === "/v1/candidate-batches") return refuses(404, "not_found");
          return rows[0]?.externalId === "ext-3" ? refuses(401, "unauthorized") : undefined;
        },
      });
    const cells = ["Ada", "Lovelace", "ada@example.com", "GB", "true"];
    const lines = ["ext-1", "ext-2", "ext-3"].map((externalId) => [externalId, ...cells].join());
    const heading = "externalId,firstName,lastName,email,countryOfResidence,consentGiven";
    const file = await aFile("rows.csv", [heading, ...lines].join("\n"));
    const env = environmentOf(await service());
    await push([file], { env });
    const change = option === "--url" ? `--url=${(await service()).baseUrl}` : option;

    const { stdout } = await push([file, change], { env });

    expect(stdout).toMatch(/^2 rows in /);
    expect(stdout).not.toContain("done earlier");
  });

  test("leaves rows for which the service failed to the next run", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0);
    onTestFinished(() => random.mockRestore());
    let isFailing = true;
    const service = await aCandidateService({
      result: ({ externalId }) =>
        isFailing && externalId === "ext-2" ? { status: 500, error: "internal_error" } : undefined,
    });
    const file = await aFile("rows.ndjson", ndjson(submissions(3)));

    const first = await push([file], { env: environmentOf(service) });
    isFailing = false;
    const second = await push([file], { env: environmentOf(service) });

    expect(first.code).toBe(1);
    expect(first.stdout).toMatch(/^3 rows in .*: 2 created, 1 failed\.\n(?:.*\n)*Run the same command again/);
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(/^3 rows in .*: 2 done earlier, 1 created\.\n$/);
  });

  test.each<[string, Step, RegExp]>([
    ["a key that is not valid", refuses(401, "unauthorized"), /^Set a valid key of this environment with /m],
    [
      "another program's address",
      responds(403, { message: "Forbidden" }),
      /^Set the address of the environment with /m,
    ],
    [
      "a failure that may pass",
      refuses(429, "rate_limited", { "Retry-After": "7200" }),
      /^Run the same command again to push the remaining /m,
    ],
  ])("says after %s what to do before it is run again", async (_, step, remedy) => {
    const service = await aService(step);
    const file = await aFile("rows.ndjson", ndjson(submissions(2)));

    const { stdout } = await push([file], { env: environmentOf(service) });

    expect(stdout).toMatch(remedy);
  });

  test("names its own options if a response does not come from the service", async () => {
    const service = await aService((response) => response.writeHead(200).end("<html>"));
    const file = await aFile("rows.ndjson", ndjson(submissions(1)));
    const env = environmentOf(service);

    const { stdout, stderr } = await push([file], { env });

    expect(stdout + stderr).toContain("Check --url or CANDIDATES_URL, and any proxy in between.");
    expect(stdout + stderr).not.toContain("baseUrl");
  });

  test("ends and says how long, if the service asks callers to wait more than a minute", async () => {
    const service = await aService(refuses(429, "rate_limited", { "Retry-After": "7200" }));
    const file = await aFile("rows.ndjson", ndjson(submissions(2)));

    const { code, stderr } = await push([file], { env: environmentOf(service) });

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        "rate_limited: Message of rate_limited. (request req-1) The service asks callers to wait 2 h 0 min.\n",
    });
  });

  test("promises of standard input, which it cannot resume, nothing that --update would not keep", async () => {
    const service = await aService(refuses(429, "rate_limited", { "Retry-After": "7200" }));
    const args = ["-", "--format", "ndjson", "--refused-file", await aFile("refused.ndjson", "")];

    const { stdout } = await push([...args, "--update"], {
      env: environmentOf(service),
      input: ndjson(submissions(1)),
    });

    expect(stdout).toBe("Standard input cannot be resumed. Push it again: no candidate is created twice.\n");
  });

  test("asks the user to correct a file that cannot be read to its end", async () => {
    const service = await aCandidateService();
    const file = await aFile("rows.json", `[${JSON.stringify(submissions(1)[0])}, oops`);

    const { code, stdout } = await push([file], { env: environmentOf(service) });

    expect(code).toBe(1);
    expect(stdout).toMatch(/^Correct the file, then run the command again\.\n$/);
  });

  test("slows down all requests after a 429, and refuses no row because of it", async () => {
    const arrivals: number[] = [];
    const service = await aCandidateService({
      instead: () => {
        arrivals.push(performance.now());
        return arrivals.length === 5 ? refuses(429, "rate_limited", { "Retry-After": "1" }) : undefined;
      },
    });
    const file = await aFile("rows.ndjson", ndjson(submissions(2000)));

    const { code, stdout } = await push([file, "--concurrency", "2"], { env: environmentOf(service) });

    expect(code).toBe(0);
    expect(stdout).toContain("2,000 created.");
    expect(arrivals).toHaveLength(21);
    const refusedAt = arrivals[4] ?? 0;
    // The other lane may have had a row on its way.
    expect(arrivals.filter((at) => at > refusedAt && at < refusedAt + 900).length).toBeLessThanOrEqual(2);
  });

  test("uses little memory, however long the file is", async () => {
    const rows = ndjson(submissions(12_000).map((row) => ({ ...row, summary: "x".repeat(4900) })));

    const { code, stdout } = await runPush(["-", "--format", "ndjson", "--dry-run"], {
      env: { NODE_OPTIONS: "--max-old-space-size=48" },
      input: rows,
    });

    expect(stdout).toContain("12,000 valid");
    expect(code).toBe(0);
  });

  test("ends with a summary although its journal has disappeared", async () => {
    let journal = "";
    const service = await aCandidateService({
      instead: () => {
        rmSync(journal, { force: true });
        return undefined;
      },
    });
    const file = await aFile("rows.ndjson", ndjson(submissions(3)));
    journal = `${file}.push-journal`;

    const { code, stdout } = await push([file], { env: environmentOf(service) });

    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("3 created.") });
  });
});

test("candidates push replaces the refused rows that an earlier push wrote", async () => {
  const file = await aFile("rows.ndjson", ndjson([{ externalId: "ext-1" }]));
  const path = `${file}.refused`;
  await push([file, "--dry-run", "--refused-file", path]);
  await writeFile(file, ndjson([{ externalId: "ext-2" }]));

  const { stdout } = await push([file, "--dry-run", "--refused-file", path]);

  expect(stdout).toContain("1 refused");
  expect((await entriesOf(path)).map(({ externalId }) => externalId)).toEqual(["ext-2"]);
});

describe("candidates push prints no control character", () => {
  const hostile = "\u001b]0;owned\u0007\u009b2J\r\u202eexe\u2066 12 created.\n99 rows";
  const shown = "\ufffd]0;owned\ufffd\ufffd2J\ufffd\ufffdexe\ufffd 12 created.\ufffd99 rows";

  test.each([
    ["a row's result", 200, { results: [1, 2].map((at) => ({ externalId: `ext-${at}`, ...refusal(400) })) }],
    ["a refusal of a row", 400, refusal(400)],
    ["a refusal of every row", 401, refusal(401)],
  ])("of %s", async (_, status, body) => {
    const service = await aService(responds(status, body));
    const file = await aFile("rows.ndjson", ndjson(submissions(2)));

    const { stdout, stderr } = await push([file], { env: environmentOf(service) });

    expect(stdout + stderr).toContain(shown);
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  });

  test("of a file's heading", async () => {
    const file = await aFile("rows.csv", "email,\u001b[2J\n1,2\n");

    const { stderr } = await push([file, "--dry-run"]);

    expect(stderr).toBe(
      'The column "\ufffd[2J" is not a member of a candidate. Rename it, or map it in a --columns file.\n',
    );
  });

  function refusal(status: number) {
    return { status, error: status === 401 ? `unauthorized\u001b[2J` : "invalid_request", message: hostile };
  }
});

test("candidates push counts only what it has recorded if refused rows can no longer be written", async () => {
  const folder = dirname(await aFile("x", ""));
  const service = await aCandidateService({
    instead: () => {
      rmSync(folder, { recursive: true, force: true });
      return undefined;
    },
    result: ({ externalId }) =>
      externalId === "ext-2" ? { status: 413, error: "payload_too_large" } : undefined,
  });
  const file = await aFile("rows.ndjson", ndjson(submissions(2)));

  const { code, stdout, stderr } = await push([file, "--refused-file", join(folder, "refused")], {
    env: environmentOf(service),
  });

  expect(code).toBe(1);
  expect(stderr).toMatch(/cannot be written \(ENOENT\)\. Free up space, or choose other locations/);
  expect(stdout).toMatch(
    /^1 row in (?:under )?\d s: 1 created\.\nMake sure that the file can be written, then run the command again to push the remaining rows\.\n$/,
  );
});

test("candidates push says that Excel has shortened a number, in a dry run too", async () => {
  const service = await aCandidateService();
  const file = await aFile(
    "rows.csv",
    [
      "externalId,firstName,lastName,email,countryOfResidence,consentGiven,Notes",
      "1,Ada,Lovelace,ada@example.com,GB,true,1.2E+11",
      '"1,23457E+11",Grace,Hopper,grace@example.com,US,true,',
      "4.47701E+11,Mary,Somerville,mary@example.com,GB,true,",
      "",
    ].join("\n"),
  );
  const columns = await aFile("columns.json", '{"Notes":null}');
  const args = [file, "--columns", columns];

  for (const given of [args, [...args, "--dry-run"]]) {
    const { code, stdout } = await push(given, { env: environmentOf(service) });

    expect(code).toBe(0);
    expect(stdout.split("\n").slice(-2)).toEqual([
      'Line 3 has a number that Excel has shortened, such as 1.23457E+11, in the column "externalId". Format the column as text, and export the file again.',
      "",
    ]);
  }
});
