import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runtime } from "#runtime/runtime";
import { deliveryHeaders } from "#webhooks/delivery/delivery-headers";
import { guardedAgent, WebhookClient } from "#webhooks/delivery/webhook-client";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import { newSigningSecret } from "#webhooks/endpoints/signature";
import { runCommand } from "../../local/machine/run-command.ts";
import { pythonEnvironment } from "../../tools/python-environment.ts";
import { aSubmission } from "../builders/submission.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";
import { received } from "../end-to-end/client.ts";
import type { Received } from "../end-to-end/messages.ts";
import { anOrganisation } from "../end-to-end/platform.ts";
import { aReceiver } from "../end-to-end/receiver.ts";
import { registered, webhookEndpointsOf } from "../end-to-end/webhook-client.ts";
import { aDelivery, EXTERNAL_ID } from "../webhooks/builders.ts";
import { lacksTool, type Tool } from "./missing-tool.ts";

const VERIFIERS = resolve("tools/verifiers");
interface Verifier {
  readonly language: string;
  readonly tools: readonly Tool[];
  /** Verifies the delivery in a file with the published library, or fails with what the library says. */
  verify(file: string): Promise<unknown>;
}

const verifiers: readonly Verifier[] = [
  {
    language: "Go",
    tools: [["go", "version"]],
    verify: (file) => runCommand("go", ["run", ".", file], { cwd: join(VERIFIERS, "go") }),
  },
  {
    language: "Python",
    tools: [["python3", "--version"]],
    async verify(file) {
      const folder = join(VERIFIERS, "python");
      const programs = await pythonEnvironment({
        name: "standardwebhooks",
        requirements: join(folder, "requirements.txt"),
        onProgress: () => {},
      });
      await runCommand(join(programs, "python"), [join(folder, "verify.py"), file]);
    },
  },
];

/** The part of a delivery that a library verifies, as it reached a receiver. */
type Arrived = Pick<Received, "headers" | "body">;

/** What the local stack delivers to an endpoint when a candidate is created, before and after a rotation. */
async function deliveriesAroundRotation() {
  const { caller } = await anOrganisation();
  const receiver = await aReceiver();
  const { id, signingSecret: previous } = await registered(caller, receiver.url);
  await received(caller, aSubmission({ externalId: EXTERNAL_ID }));
  await receiver.waitFor(1);

  const current = String((await webhookEndpointsOf(caller).rotateSecret(id)).body["signingSecret"]);
  await received(caller, aSubmission());
  const [before, during] = (await receiver.waitFor(2)) as [Received, Received];
  return { previous, current, before, during };
}

/** A delivery through the service's HTTP client that was signed so many minutes ago; negative is in the future. */
async function deliverySigned(minutesAgo: number, signingSecret: string): Promise<Received> {
  const receiver = await aReceiver();
  const client = new WebhookClient(guardedAgent(AllowedNetworks.parse("127.0.0.0/8")));
  onTestFinished(() => client.close());
  const delivery = aDelivery();
  const at = new Date(Date.now() - minutesAgo * 60_000);
  const headers = deliveryHeaders(delivery, { current: signingSecret }, at);

  await client.post(receiver.url, headers, delivery.body, { timeout: 10_000 });

  const [arrived] = (await receiver.waitFor(1)) as [Received];
  return arrived;
}

describe.each(verifiers)("the Standard Webhooks library of $language", ({ language, tools, verify }) => {
  const cannotRun = lacksTool(`The Standard Webhooks library of ${language}`, tools);

  async function verified({ headers, body }: Arrived, signingSecret: string): Promise<void> {
    const file = join(await temporaryFolder(), "delivery.json");
    await writeFile(file, JSON.stringify({ signingSecret, headers, body }));
    await verify(file);
  }

  test.skipIf(cannotRun)(
    "verifies a delivery and refuses it with another body, id, time or secret",
    async () => {
      const { previous: secret, current: later, before: delivery } = await deliveriesAroundRotation();
      const { headers, body } = delivery;
      const nextSecond = String(Number(headers["webhook-timestamp"]) + 1);

      await verified(delivery, secret);

      for (const [forged, signingSecret] of [
        [{ headers, body: body.replace("received", "promoted") }, secret],
        [{ headers: { ...headers, "webhook-id": "evt_2" }, body }, secret],
        [{ headers: { ...headers, "webhook-timestamp": nextSecond }, body }, secret],
        [delivery, later],
      ] as const) {
        await expect(verified(forged, signingSecret)).rejects.toThrow(/no matching signature/i);
      }
    },
  );

  test.skipIf(cannotRun)(
    "verifies a delivery with the previous and with the new secret during a rotation",
    async () => {
      const { previous, current, during } = await deliveriesAroundRotation();

      await verified(during, previous);
      await verified(during, current);

      const unknown = newSigningSecret(runtime.randomBytes);
      await expect(verified(during, unknown)).rejects.toThrow(/no matching signature/i);
    },
  );

  test.skipIf(cannotRun)(
    "verifies a delivery up to five minutes old or early, and refuses any other",
    async () => {
      const secret = newSigningSecret(runtime.randomBytes);

      // A minute from the limit, because a compiler may run before the library reads the clock.
      for (const minutesAgo of [4, -4]) await verified(await deliverySigned(minutesAgo, secret), secret);

      await expect(verified(await deliverySigned(6, secret), secret)).rejects.toThrow(/too old/i);
      await expect(verified(await deliverySigned(-6, secret), secret)).rejects.toThrow(/too new/i);
    },
  );
});
