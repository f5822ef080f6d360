import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Received } from "./messages.ts";
import { responseOf } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { anIntegrator, registered, UNKNOWN_ENDPOINT_ID } from "./webhook-client.ts";

/** The signatures of a delivery: by the secret that is valid now, and by the one before. */
function signatures({ headers }: Received) {
  return { now: headers["x-rr-signature"], previous: headers["x-rr-signature-previous"] };
}

function signed({ body }: Received, signingSecret: unknown): string {
  return `sha256=${createHmac("sha256", String(signingSecret)).update(body).digest("hex")}`;
}

describe("rotating a signing secret", () => {
  test("returns the endpoint with a new secret, shown only once, and the end of the old one's validity", async () => {
    const { caller, endpoints } = await anIntegrator();
    const receiver = await aReceiver();
    const { signingSecret: old, ...endpoint } = await registered(caller, receiver.url);

    const { status, body } = await endpoints.rotateSecret(endpoint.id);

    expect(status).toBe(200);
    expect(body).toEqual({
      ...endpoint,
      signingSecret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      previousSecretExpiresAt: expect.any(String),
    });
    expect(body["signingSecret"]).not.toBe(old);
    const overlap = Date.parse(String(body["previousSecretExpiresAt"])) - Date.now();
    expect(Math.abs(overlap - 24 * 3_600_000)).toBeLessThan(60_000);
    expect((await endpoints.get(endpoint.id)).body).toEqual(endpoint);
    expect((await endpoints.list()).body).toEqual({ data: [endpoint] });
  });

  test("makes deliveries carry signatures of the new and the old secret", async () => {
    const { caller, endpoints } = await anIntegrator();
    const receiver = await aReceiver();
    const { id, signingSecret: old } = await registered(caller, receiver.url);
    await endpoints.test(id);
    await receiver.waitFor(1);

    const { signingSecret: fresh } = (await endpoints.rotateSecret(id)).body;
    await endpoints.test(id);
    await receiver.waitFor(2);
    const [before, after] = (await receiver.waitFor(2)) as [Received, Received];

    expect(signatures(before)).toEqual({ now: signed(before, old), previous: undefined });
    expect(signatures(after)).toEqual({ now: signed(after, fresh), previous: signed(after, old) });
  });

  test("twice ends the first secret at once, so that only the latest two sign", async () => {
    const { caller, endpoints } = await anIntegrator();
    const receiver = await aReceiver();
    const { id } = await registered(caller, receiver.url);

    const { signingSecret: second } = (await endpoints.rotateSecret(id)).body;
    const { signingSecret: third } = (await endpoints.rotateSecret(id)).body;
    await endpoints.test(id);
    const [delivery] = (await receiver.waitFor(1)) as [Received];

    expect(signatures(delivery)).toEqual({
      now: signed(delivery, third),
      previous: signed(delivery, second),
    });
  });

  test("survives a rotation of the keyring and resealing: both secrets still sign", async () => {
    const { caller, endpoints } = await anIntegrator();
    const receiver = await aReceiver();
    const { id, signingSecret: old } = await registered(caller, receiver.url);
    await responseOf("rotate-keyring", {});
    const { signingSecret: fresh } = (await endpoints.rotateSecret(id)).body;

    await responseOf("rotate-keyring", {});
    await responseOf("reseal-signing-secrets", {});
    await endpoints.test(id);
    const [delivery] = (await receiver.waitFor(1)) as [Received];

    expect(signatures(delivery)).toEqual({ now: signed(delivery, fresh), previous: signed(delivery, old) });
  });

  test("of another organisation's, a deleted or an unknown endpoint gets a 404 and changes nothing", async () => {
    const { caller, endpoints } = await anIntegrator();
    const receiver = await aReceiver();
    const stranger = await anIntegrator();
    const { id, signingSecret } = await registered(caller, receiver.url);

    const refused = await stranger.endpoints.rotateSecret(id);
    await endpoints.test(id);
    const [delivery] = (await receiver.waitFor(1)) as [Received];
    await endpoints.delete(id);

    expect([refused.status, refused.body["error"]]).toEqual([404, "not_found"]);
    expect(signatures(delivery)).toEqual({ now: signed(delivery, signingSecret), previous: undefined });
    for (const unknown of [id, UNKNOWN_ENDPOINT_ID, "ENDPOINTS"]) {
      expect((await endpoints.rotateSecret(unknown)).status).toBe(404);
    }
    expect((await endpoints.list()).body).toEqual({ data: [] });
  });
});
