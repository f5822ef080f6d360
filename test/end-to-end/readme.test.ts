import { execFile } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { anOrganisation } from "./platform.ts";
import { aReceiver } from "./receiver.ts";

const run = promisify(execFile);

/** The README's shell blocks under a heading, in order. */
async function blocksUnder(...headings: string[]): Promise<string> {
  const readme = await readFile("README.md", "utf8");
  const sections = readme
    .split(/^## /m)
    .filter((section) => headings.some((heading) => section.startsWith(heading)));
  return sections
    .flatMap((section) => [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block))
    .join("\n");
}

/** Credentials like the stack's own, of an organisation that no other test floods with events. */
async function credentials(): Promise<string> {
  const { orgId, apiKey } = await anOrganisation();
  const file = join(await mkdtemp(join(tmpdir(), "readme-")), "credentials.json");
  await writeFile(file, JSON.stringify({ baseUrl: inject("baseUrl"), organisations: [{ orgId, apiKey }] }));
  return file;
}

/** Runs a script as a reader would paste it, but against the tests' own stack and receiver. */
async function paste(script: string, receiverUrl = ""): Promise<string> {
  const { stdout } = await run(
    "bash",
    [
      "-euo",
      "pipefail",
      "-c",
      script
        .replaceAll(".local/credentials.json", await credentials())
        .replaceAll(/ext-(\d+)/g, `readme-$1-${process.pid}-${Date.now()}`)
        .replaceAll("http://127.0.0.1:4000/hooks", receiverUrl)
        .replace(/^SIGNING_SECRET=\S+ node .*&\n.*# waits .*$/m, ""),
    ],
    { env: { ...process.env, LOCAL_DATA_DIR: inject("dataDir") } },
  );
  return stdout;
}

test("the README's first request works as pasted", async () => {
  const printed = await paste(await blocksUnder("First request"));

  expect(printed).toContain('"stagedId":"staged_');
  expect(printed).toContain('"headline":"Analyst and metaphysician"');
  expect(printed).not.toContain("ada@example.com");
});

test("the README's webhook walkthrough shows six events", async () => {
  const receiver = await aReceiver();
  const variables = (await blocksUnder("First request")).split("\n").slice(0, 2).join("\n");

  await paste(`${variables}\n${await blocksUnder("Webhooks")}`, receiver.url);
  const deliveries = await receiver.waitFor(6);

  expect(deliveries.map(({ event }) => event.type).sort()).toEqual([
    "candidate.consent_revoked",
    "candidate.erased",
    "candidate.promoted",
    "candidate.received",
    "candidate.validation_failed",
    "candidate.verified",
  ]);
});

// As when the endpoint was not registered: the receiver does not start, and shows why.
test("the README's wait for the receiver ends though nothing listens", async () => {
  const [wait = ""] = /^.*# waits .*$/m.exec(await blocksUnder("Webhooks")) ?? [];
  const waiting = run("bash", ["-c", wait.replace(":4000", ":1")], { timeout: 20_000 });

  await expect(waiting).rejects.toMatchObject({ code: 7, killed: false });
});

/** The receiver's source, on a free port. */
async function receiverSource(): Promise<string> {
  const block = (await blocksUnder("Webhooks")).match(/^cat > .*?^EOF$/ms)?.[0] ?? "";
  return block.split("\n").slice(1, -1).join("\n").replace("4000", "0");
}

test.each([undefined, ""])("the README's receiver does not start with the secret %j", async (missing) => {
  const { SIGNING_SECRET: _, ...env } = process.env;
  const receiver = run(process.execPath, ["--input-type=module", "--eval", await receiverSource()], {
    env: missing === undefined ? env : { ...env, SIGNING_SECRET: missing },
    timeout: 20_000,
  });

  await expect(receiver).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Set SIGNING_SECRET"),
  });
});

test("the README's receiver accepts a genuine delivery and refuses a forged one", async () => {
  const source = await receiverSource();

  const { stdout } = await run(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `${source.replace(/^createServer/m, "const server = createServer")}
        import { once } from "node:events";
        await once(server, "listening");
        const body = "{}";
        const genuine = "sha256=" + createHmac("sha256", process.env.SIGNING_SECRET).update(body).digest("hex");
        for (const signature of [genuine, genuine.replace(/.$/, "x"), "sha256=", ""]) {
          const { status } = await fetch("http://127.0.0.1:" + server.address().port, {
            method: "POST", body, headers: { "X-RR-Signature": signature },
          });
          console.log(status);
        }
        process.exit(0);`,
    ],
    { env: { ...process.env, SIGNING_SECRET: "whsec_test" } },
  );

  expect(stdout.match(/^\d{3}$/gm)).toEqual(["204", "401", "401", "401"]);
});
