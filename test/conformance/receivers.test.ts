import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deliveryHeaders } from "#webhooks/delivery/delivery-headers";
import { newSigningSecret } from "#webhooks/endpoints/signature";
import { freePort } from "../../local/machine/free-port.ts";
import { runCommand } from "../../local/machine/run-command.ts";
import { pythonEnvironment } from "../../tools/python-environment.ts";
import { aDelivery } from "../webhooks/builders.ts";
import { installClient } from "./installed-client.ts";
import { lacksTool, type Tool } from "./missing-tool.ts";

const SAMPLES = resolve("docs/guides/samples");
const REQUIRED = resolve("tools/samples");
/** Where Debian's package php-symfony-http-foundation puts it. */
const SYMFONY = "/usr/share/php/Symfony/Component/HttpFoundation/autoload.php";
const COPY_JARS = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "receiver-"));
  folders.push(folder);
  return folder;
}

interface Receiver {
  readonly language: string;
  /** Programs, and libraries that no test can fetch. */
  readonly tools: readonly Tool[];
  /** Makes the sample ready to run, and returns the command that runs it at a port. */
  prepare(): Promise<(port: number) => readonly [string, ...string[]]>;
}

const receivers: readonly Receiver[] = [
  {
    language: "TypeScript",
    tools: [["npm", "--version"]],
    async prepare() {
      const folder = await newFolder();
      await cp(join(REQUIRED, "express"), folder, { recursive: true });
      await cp(join(SAMPLES, "receiver.mts"), join(folder, "receiver.mts"));
      await runCommand("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
      await installClient(folder);
      return () => [process.execPath, join(folder, "receiver.mts")];
    },
  },
  {
    language: "Python",
    tools: [["python3", "--version"]],
    async prepare() {
      const programs = await pythonEnvironment({
        name: "samples",
        requirements: join(REQUIRED, "python/requirements.txt"),
        onProgress: () => {},
      });
      return () => [join(programs, "python"), "-B", join(SAMPLES, "receiver.py")];
    },
  },
  {
    language: "Go",
    tools: [["go", "version"]],
    async prepare() {
      const program = join(await newFolder(), "receiver");
      await runCommand("go", ["build", "-o", program, join(SAMPLES, "receiver.go")]);
      return () => [program];
    },
  },
  {
    language: "PHP",
    tools: [["php", "-r", `require "${SYMFONY}";`]],
    async prepare() {
      const folder = await newFolder();
      await cp(join(SAMPLES, "receiver.php"), join(folder, "receiver.php"));
      await mkdir(join(folder, "vendor"));
      await writeFile(join(folder, "vendor/autoload.php"), `<?php require '${SYMFONY}';`);
      return (port) => ["php", "-S", `127.0.0.1:${port}`, join(folder, "receiver.php")];
    },
  },
  {
    language: "Java",
    tools: [
      ["java", "--version"],
      ["mvn", "--version"],
    ],
    async prepare() {
      const jars = await newFolder();
      const pom = join(REQUIRED, "java/pom.xml");
      await runCommand("mvn", ["-q", "-B", "-f", pom, COPY_JARS, `-DoutputDirectory=${jars}`]);
      return () => ["java", "-cp", join(jars, "*"), join(SAMPLES, "Receiver.java")];
    },
  },
  {
    language: "Ruby",
    tools: [["ruby", "-e", 'require "sinatra/base"; require "webrick"']],
    prepare: async () => () => ["ruby", join(SAMPLES, "receiver.rb")],
  },
];

interface RunningReceiver {
  readonly url: string;
  /** All that it has printed. */
  printed(): string;
  stop(): Promise<void>;
}

/** Starts a receiver and waits until it responds. */
async function started(
  command: (port: number) => readonly [string, ...string[]],
  signingSecret: string | undefined,
): Promise<RunningReceiver> {
  const port = await freePort("127.0.0.1");
  const [program, ...args] = command(port);
  const { SIGNING_SECRET: _, ...env } = process.env;
  const child = spawn(program, args, {
    env: {
      ...env,
      PORT: String(port),
      ...(signingSecret !== undefined && { SIGNING_SECRET: signingSecret }),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  const url = `http://127.0.0.1:${port}/hooks`;
  while (!(await fetch(url, { method: "POST" }).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}.`);
    await delay(50);
  }
  return {
    url,
    printed: () => printed,
    async stop() {
      const ended = once(child, "close");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const secret = newSigningSecret(randomBytes);
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

interface Signed {
  readonly at?: Date;
  readonly current?: string;
  readonly previous?: string;
  /** The least size of the body. */
  readonly bytes?: number;
  readonly delivery?: Parameters<typeof aDelivery>[0];
}

interface Sent {
  readonly body?: string;
  /** Whether the body is sent without its length. */
  readonly chunked?: true;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** What a receiver responds to a delivery that was signed with these secrets at this time, and then changed. */
async function responseTo(
  { url }: RunningReceiver,
  signed: Signed,
  { body, headers, chunked }: Sent = {},
): Promise<number> {
  const { at = new Date(), current = secret, previous, bytes = 0 } = signed;
  const small = aDelivery(signed.delivery);
  const delivery = { ...small, body: small.body.padEnd(bytes) };
  const all = { ...deliveryHeaders(delivery, { current, previous }, at), ...headers };
  const kept = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined);
  const text = body ?? delivery.body;
  const sent = chunked ? { body: new Blob([text]).stream(), duplex: "half" as const } : { body: text };
  return (await fetch(url, { method: "POST", headers: kept, ...sent })).status;
}

describe.each(receivers)("the webhook receiver in $language", ({ language, tools, prepare }) => {
  const cannotRun = lacksTool(`The webhook receiver in ${language}`, tools);
  let command: Awaited<ReturnType<typeof prepare>>;
  let receiver: RunningReceiver;

  beforeAll(async () => {
    if (cannotRun) return;
    command = await prepare();
    receiver = await started(command, secret);
  });
  afterAll(() => receiver?.stop());

  test.skipIf(cannotRun)(
    "accepts a delivery, with the old or the new secret during a rotation too",
    async () => {
      expect(await responseTo(receiver, {})).toBe(204);
      expect(await responseTo(receiver, { current: newSigningSecret(randomBytes), previous: secret })).toBe(
        204,
      );
      expect(await responseTo(receiver, { at: minutesAgo(4) })).toBe(204);
      // Fifty reasons of five hundred characters each.
      expect(await responseTo(receiver, { bytes: 160_000 })).toBe(204);
    },
  );

  test.skipIf(cannotRun)(
    "refuses a delivery that lacks a header, is old, or has a wrong signature",
    async () => {
      for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
        expect(await responseTo(receiver, {}, { headers: { [name]: undefined } }), name).toBe(401);
        expect(await responseTo(receiver, {}, { headers: { [name]: "" } }), `empty ${name}`).toBe(401);
      }
      expect(await responseTo(receiver, { at: minutesAgo(6) }), "stale").toBe(401);
      expect(await responseTo(receiver, { at: minutesAgo(-6) }), "of the future").toBe(401);
      for (const time of ["soon", "9".repeat(5_000)]) {
        expect(await responseTo(receiver, {}, { headers: { "webhook-timestamp": time } }), "no time").toBe(
          401,
        );
      }
      const now = String(Math.floor(Date.now() / 1_000) + 1);
      expect(await responseTo(receiver, {}, { headers: { "webhook-timestamp": now } }), "another time").toBe(
        401,
      );
      expect(await responseTo(receiver, {}, { headers: { "webhook-id": "evt_1" } }), "another id").toBe(401);
      expect(await responseTo(receiver, {}, { body: "{}" }), "another body").toBe(401);
      expect(await responseTo(receiver, {}, { body: "" }), "no body").toBe(401);
      expect(await responseTo(receiver, { current: newSigningSecret(randomBytes) }), "another secret").toBe(
        401,
      );
      const unversioned = { "webhook-signature": "v1," };
      expect(await responseTo(receiver, {}, { headers: unversioned }), "an empty signature").toBe(401);
    },
  );

  test.skipIf(cannotRun)("refuses a signed delivery whose webhook-id is not the event's id", async () => {
    const other = { eventId: "evt_1" };
    expect(await responseTo(receiver, { delivery: other }), "another event").toBe(401);
    for (const body of ["", "soon", "null", "[]", "1", '"id"', "{}", '{"id":null}']) {
      expect(await responseTo(receiver, { delivery: { ...other, body } }), body).toBe(401);
    }
    const same = { eventId: "evt_1", body: '{"id":"evt_1","type":"candidate.received"}' };
    expect(await responseTo(receiver, { delivery: same }), "the same event").toBe(204);
  });

  test.skipIf(cannotRun)("prints why it refuses a delivery, and nothing of the delivery", async () => {
    const open = await started(command, secret);
    try {
      const delivery = { eventId: "evt_1", body: '{"id":"evt_received"}' };
      await responseTo(open, { current: newSigningSecret(randomBytes), delivery });
      await responseTo(open, { delivery });

      // One for the request that waits until it responds, which is not signed.
      await expect.poll(() => open.printed().match(/Refused: .+/g)).toHaveLength(3);
      expect(open.printed()).not.toContain("evt_");
    } finally {
      await open.stop();
    }
  });

  test.skipIf(cannotRun)("refuses a body of more than 1 MiB, in chunks too", async () => {
    expect(await responseTo(receiver, { bytes: 2 ** 20 + 1 })).toBe(413);
    // Flask cuts a body in chunks off, so that its signature does not match.
    const inChunks = await responseTo(receiver, { bytes: 2 ** 20 + 1 }, { chunked: true });
    expect([401, 413], "in chunks").toContain(inChunks);
  });

  test.skipIf(cannotRun)("refuses an id that is not ASCII, however its bytes are read", async () => {
    const delivery = { eventId: "evt_é", body: '{"id":"evt_é","type":"candidate.received"}' };
    // A header's characters are sent as one byte each.
    const utf8 = { "webhook-id": Buffer.from(delivery.eventId).toString("latin1") };

    expect(await responseTo(receiver, { delivery }), "in Latin-1").toBe(401);
    expect(await responseTo(receiver, { delivery }, { headers: utf8 }), "in UTF-8").toBe(401);
  });

  test.skipIf(cannotRun).each([undefined, "", "whsec_", "whsec_not base64!"])(
    "refuses every delivery while the secret is %j",
    async (missing) => {
      const open = await started(command, missing);
      try {
        // The keys that a receiver would take such a secret for.
        for (const current of ["", "whsec_", secret]) {
          expect(await responseTo(open, { current }), JSON.stringify(current)).toBe(401);
        }
      } finally {
        await open.stop();
      }
    },
  );
});
