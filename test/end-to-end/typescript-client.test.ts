import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { runtime } from "#runtime/runtime";
import { newSigningSecret } from "#webhooks/endpoints/signature";
import { buildLibrary } from "../../client/package.ts";
import { CandidateServiceClient, verifyWebhook } from "../../client/src/index.ts";
import { aFullSubmission, anExternalId, aSubmission } from "../builders/submission.ts";
import { examplesIn } from "../client/readme-examples.ts";
import { anOrganisation } from "./platform.ts";
import { aReceiver } from "./receiver.ts";

const run = promisify(execFile);

/** A client of an organisation that no other test uses. */
async function aClient(): Promise<CandidateServiceClient> {
  const { apiKey } = await anOrganisation();
  return new CandidateServiceClient({ baseUrl: inject("baseUrl"), apiKey });
}

describe("the TypeScript client", () => {
  test.each(["/docs", "/development"])(
    "with %s in baseUrl does not take a candidate for missing",
    async (path) => {
      const { apiKey } = await anOrganisation();
      const client = new CandidateServiceClient({ baseUrl: inject("baseUrl") + path, apiKey });

      const read = client.getCandidate(`staged_${randomUUID()}`);

      await expect(read).rejects.toMatchObject({ code: "unexpected_response", status: 404 });
    },
  );

  test("creates, reads and amends a candidate", async () => {
    const client = await aClient();
    const submission = aFullSubmission();

    const created = await client.createCandidate(submission);
    const again = await client.createCandidate(submission);
    const found = await client.findCandidate(submission.externalId);
    const amended = await client.amendCandidate(found.id, { headline: null }, { ifMatch: found.etag });

    expect(created).toMatchObject({ externalId: submission.externalId, status: "received", replayed: false });
    expect(again).toEqual({ ...created, replayed: true });
    expect(found).toMatchObject({ id: created.stagedId, headline: submission.headline });
    expect(await client.getCandidate(created.stagedId)).toEqual(amended);
    expect(amended.headline).toBeNull();
    expect(amended.etag).not.toBe(found.etag);
    await expect(
      client.amendCandidate(found.id, { headline: "Late" }, { ifMatch: found.etag }),
    ).rejects.toMatchObject({ code: "precondition_failed", status: 412 });
  });

  test("creates candidates in a batch, and returns the result of a refused one instead of throwing", async () => {
    const client = await aClient();
    const [known, fresh] = [aSubmission(), aSubmission()];
    const { stagedId } = await client.createCandidate(known);

    const { results } = await client.createCandidateBatch([
      known,
      { ...aSubmission(), email: "nobody" },
      fresh,
    ]);

    expect(results).toMatchObject([
      { status: 201, stagedId, replayed: true },
      { status: 400, error: "invalid_request", message: expect.stringMatching(/^email: /) },
      { status: 201, externalId: fresh.externalId, replayed: false },
    ]);
    await expect(client.createCandidateBatch([])).rejects.toMatchObject({ code: "invalid_request" });
  });

  test("erases a candidate once", async () => {
    const client = await aClient();
    const { stagedId, externalId } = await client.createCandidate(aSubmission());

    await expect(client.requestErasure(stagedId, { externalId: anExternalId() })).rejects.toMatchObject({
      code: "invalid_request",
    });
    await client.requestErasure(stagedId, { externalId });

    await expect(client.getCandidate(stagedId)).rejects.toMatchObject({ code: "not_found" });
    await expect(client.requestErasure(stagedId, { externalId })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("throws a refusal with code, message and request id", async () => {
    const client = await aClient();
    const stranger = new CandidateServiceClient({ baseUrl: inject("baseUrl"), apiKey: "rr_dev_nobody" });

    await expect(client.createCandidate(aSubmission({ email: "nobody" }))).rejects.toMatchObject({
      code: "invalid_request",
      status: 400,
      message: expect.stringContaining("email: "),
      requestId: expect.stringMatching(/\S/),
      attempts: 1,
    });
    await expect(client.findCandidate(anExternalId())).rejects.toMatchObject({ code: "not_found" });
    await expect(stranger.listWebhookEndpoints()).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("registers an endpoint, verifies deliveries before and after a rotation, lists and resends them", async () => {
    const client = await aClient();
    const receiver = await aReceiver();

    const { signingSecret, ...endpoint } = await client.createWebhookEndpoint({
      url: receiver.url,
      eventTypes: ["candidate.received"],
    });
    expect(await client.listWebhookEndpoints()).toEqual([endpoint]);
    expect(await client.getWebhookEndpoint(endpoint.id)).toEqual(endpoint);
    await client.testWebhookEndpoint(endpoint.id);
    const { stagedId } = await client.createCandidate(aSubmission());
    const [sample] = await receiver.waitFor(1, ({ event }) => event.sample === true);
    const [received] = await receiver.waitFor(1, ({ event }) => event.data["stagedId"] === stagedId);

    for (const { body = "", headers = {} } of [sample ?? {}, received ?? {}]) {
      expect(await verifyWebhook(body, headers, signingSecret)).toMatchObject({ type: "candidate.received" });
    }

    const rotated = await client.rotateSigningSecret(endpoint.id);
    const updated = await client.updateWebhookEndpoint(endpoint.id, { description: "sync" });
    const second = await client.createCandidate(aSubmission());
    const [afterRotation] = await receiver.waitFor(
      1,
      ({ event }) => event.data["stagedId"] === second.stagedId,
    );
    expect(updated).toMatchObject({ ...endpoint, description: "sync" });
    for (const secret of [signingSecret, rotated.signingSecret]) {
      const { body = "", headers = {} } = afterRotation ?? {};
      expect(await verifyWebhook(body, headers, secret)).toMatchObject({ type: "candidate.received" });
    }

    const logged = () =>
      Array.fromAsync(client.eachWebhookDelivery(endpoint.id, { status: "delivered", limit: 1 }));
    await expect.poll(logged).toHaveLength(3);
    const [newest] = await logged();
    await client.resendWebhookDelivery(endpoint.id, String(newest?.eventId));
    const again = await receiver.waitFor(2, ({ event }) => event.id === newest?.eventId);
    expect(again[1]?.body).toBe(again[0]?.body);

    await client.deleteWebhookEndpoint(endpoint.id);
    expect(await client.listWebhookEndpoints()).toEqual([]);
    await expect(client.deleteWebhookEndpoint(endpoint.id)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("the client's README", () => {
  let project: string;

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), "client-readme-"));
    const installed = join(project, "node_modules/@candidate-management/client");
    await mkdir(installed, { recursive: true });
    await cp("client/package.json", join(installed, "package.json"));
    await buildLibrary(installed);
    await writeFile(join(project, "package.json"), JSON.stringify({ type: "module" }));
  });

  /** Runs the first example that mentions a text, and gives what it prints. */
  async function runExample(mention: string): Promise<string> {
    const example = (await examplesIn("client/README.md")).find((text) => text.includes(mention));
    const file = join(project, `${randomUUID()}.ts`);
    await writeFile(file, String(example));
    const { apiKey } = await anOrganisation();
    const env = { ...process.env, CANDIDATES_URL: inject("baseUrl"), CANDIDATES_API_KEY: apiKey };
    const { stdout } = await run(process.execPath, [file], { env });
    return stdout;
  }

  test.each([
    ["createCandidate(", /^staged_\S+ is new\nAnalyst and metaphysician received\n$/],
    ["ext-of-nobody", /^not_found 404 .+ \S+\n$/],
    ["onRetry", /^0\n$/],
    ["eachWebhookDelivery", /^$/],
    ["client.reconcile(", /^0 checked: 0 missing, 0 gaps\n$/],
  ])("has a working example of %s", async (mention, expected) => {
    expect(await runExample(mention)).toMatch(expected);
  });

  test("has a receiver that accepts a genuine delivery and refuses a forged one", async () => {
    const example = (await examplesIn("client/README.md")).find((text) => text.includes("verifyWebhook"));
    const body = JSON.stringify({
      id: "evt_1",
      type: "candidate.received",
      data: { externalId: "ext-1", status: "received" },
    });
    const secret = newSigningSecret(runtime.randomBytes);
    const now = new Date();
    const deliveries = [secret, newSigningSecret(runtime.randomBytes)].map((each) => ({
      "webhook-id": "evt_1",
      "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
      "webhook-signature": new Webhook(each).sign("evt_1", now, body),
    }));
    const program = `${example}
      const body = ${JSON.stringify(body)};
      for (const headers of ${JSON.stringify(deliveries)}) {
        console.log((await receive(new Request("http://localhost", { method: "POST", body, headers }))).status);
      }`;
    const file = join(project, "receiver.ts");
    await writeFile(file, program);

    const { stdout } = await run(process.execPath, [file], {
      env: { ...process.env, SIGNING_SECRET: secret },
    });

    expect(stdout).toBe("ext-1 received\n204\n401\n");
  });
});
