import { lookup } from "node:dns";
import { once } from "node:events";
import { type AddressInfo, getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import pRetry from "p-retry";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { guardedAgent, WebhookClient } from "#webhooks/delivery/webhook-client";
import { deliverableUrl } from "#webhooks/endpoints/deliverable-url";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import { aCertificate, anHttpReceiver, closeReceivers } from "./receivers.ts";

// Only for the code under test: Node itself looks addresses up as ever.
vi.mock("node:dns", async (importOriginal) => ({
  ...(await importOriginal<typeof import("node:dns")>()),
  lookup: vi.fn(),
}));
afterAll(closeReceivers);

/** Stands for the public internet here: 127.0.0.2 may be delivered to, 127.0.0.1 is private. */
const allowed = AllowedNetworks.parse("127.0.0.2/32");
const PUBLIC = { address: "127.0.0.2", family: 4 };
const PRIVATE = { address: "127.0.0.1", family: 4 };

type Resolved = readonly (typeof PUBLIC)[] | NodeJS.ErrnoException;
type AllAddresses = (error: NodeJS.ErrnoException | null, addresses: readonly (typeof PUBLIC)[]) => void;

/** Each lookup returns the next of these, and every later one the last. */
function resolvesTo(...results: readonly Resolved[]): void {
  let asked = 0;
  vi.mocked(lookup).mockImplementation(((_name: string, _options: object, callback: AllAddresses) => {
    const result = results[Math.min(asked++, results.length - 1)] ?? [];
    process.nextTick(() => (result instanceof Error ? callback(result, []) : callback(null, result)));
  }) as unknown as typeof lookup);
}

const failing = (code: string) => Object.assign(new Error(code), { code });

beforeEach(() => {
  vi.mocked(lookup).mockReset();
});

async function listeners() {
  // A port that is free at one address may be taken at the other.
  const [receiver, victim] = await pRetry(
    async () => {
      const open = await anHttpReceiver(() => ({ headers: { Connection: "close" } }), { host: "127.0.0.2" });
      return [open, await anHttpReceiver(() => ({}), { host: "127.0.0.1", port: open.port })] as const;
    },
    { retries: 5, minTimeout: 0 },
  );
  const client = new WebhookClient(guardedAgent(allowed));
  onTestFinished(() => client.close());
  const post = () =>
    client.post(`http://rebinding.example.com:${receiver.port}/`, {}, "{}", { timeout: 10_000 });
  return { receiver, victim, post };
}

describe("a receiver's host name", () => {
  test("that resolves to a private address can be registered and is refused on connecting", async () => {
    resolvesTo([PRIVATE]);
    const { victim, post } = await listeners();

    expect(deliverableUrl(allowed).safeParse("https://rebinding.example.com/").success).toBe(true);
    await expect(post()).resolves.toMatchObject({ failure: "address_refused" });
    expect(victim.connections()).toBe(0);
  });

  test("that was public before is checked again for every connection", async () => {
    resolvesTo([PUBLIC], [PRIVATE]);
    const { receiver, victim, post } = await listeners();

    await expect(post()).resolves.toMatchObject({ statusCode: 204 });
    await expect(post()).resolves.toMatchObject({ failure: "address_refused" });

    expect(receiver.connections()).toBe(1);
    expect(victim.connections()).toBe(0);
  });

  test("is resolved once per connection, so that the checked address is the one connected to", async () => {
    resolvesTo([PUBLIC], [PRIVATE]);
    const { post } = await listeners();

    await post();

    expect(lookup).toHaveBeenCalledTimes(1);
  });

  test("is resolved to its IPv4 addresses first, because a function outside a VPC reaches no others", async () => {
    resolvesTo([PUBLIC]);
    const { post } = await listeners();

    await post();

    const [, options] = vi.mocked(lookup).mock.calls[0] ?? [];
    expect(options).toMatchObject({ order: "ipv4first" });
  });

  test.each([
    ["private first", [PRIVATE, PUBLIC]],
    ["public first", [PUBLIC, PRIVATE]],
    ["mapped", [{ address: "::ffff:127.0.0.1", family: 6 }, PUBLIC]],
  ] as const)(
    "with public and private addresses is connected to only by the public one: %s",
    async (_order, addresses) => {
      resolvesTo(addresses);
      const { receiver, victim, post } = await listeners();

      await expect(post()).resolves.toMatchObject({ statusCode: 204 });
      expect(receiver.connections()).toBe(1);
      expect(victim.connections()).toBe(0);
    },
  );

  test("whose public address does not respond is not connected to by its private one", async () => {
    resolvesTo([{ address: "127.0.0.2", family: 4 }, PRIVATE]);
    const victim = await anHttpReceiver();
    const client = new WebhookClient(guardedAgent(allowed));
    onTestFinished(() => client.close());

    const result = await client.post(`http://rebinding.example.com:${victim.port}/`, {}, "{}", {
      timeout: 10_000,
    });

    expect(result).toMatchObject({ failure: "connection_failed" });
    expect(victim.connections()).toBe(0);
  });

  test("is checked in the same way if Node.js requests a single address", async () => {
    const before = getDefaultAutoSelectFamily();
    setDefaultAutoSelectFamily(false);
    onTestFinished(() => setDefaultAutoSelectFamily(before));
    const { receiver, victim, post } = await listeners();

    resolvesTo([PRIVATE]);
    await expect(post()).resolves.toMatchObject({ failure: "address_refused" });
    resolvesTo([PRIVATE, PUBLIC]);
    await expect(post()).resolves.toMatchObject({ statusCode: 204 });
    expect(receiver.connections()).toBe(1);
    expect(victim.connections()).toBe(0);
  });

  test.each([
    ["metadata", "169.254.169.254"],
    ["metadata, IPv6", "fd00:ec2::254"],
    ["loopback, IPv6", "::1"],
    ["IPv4-compatible, as resolvers write it", "::8.8.8.8"],
    ["NAT64", "64:ff9b::7f00:1"],
    ["unspecified", "0.0.0.0"],
    ["a private network", "10.1.2.3"],
  ])("that resolves to %s is refused", async (_what, address) => {
    resolvesTo([{ address, family: address.includes(":") ? 6 : 4 }]);
    const { post } = await listeners();

    await expect(post()).resolves.toMatchObject({ failure: "address_refused" });
  });

  test.each(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA"])(
    "that does not resolve fails with name_not_resolved: %s",
    async (code) => {
      resolvesTo(failing(code));
      const { post } = await listeners();

      await expect(post()).resolves.toMatchObject({ failure: "name_not_resolved" });
    },
  );

  test("that resolves to no address is refused", async () => {
    resolvesTo([]);
    const { post } = await listeners();

    await expect(post()).resolves.toMatchObject({ failure: expect.any(String) });
  });

  test("that resolves only after the attempt timed out gets no request any more", async () => {
    const receiver = await anHttpReceiver(() => ({}), { host: "127.0.0.2" });
    const resolve = Promise.withResolvers<void>();
    vi.mocked(lookup).mockImplementation(((_name: string, _options: object, callback: AllAddresses) => {
      resolve.promise.then(() => callback(null, [PUBLIC]));
    }) as unknown as typeof lookup);
    const client = new WebhookClient(guardedAgent(allowed));
    onTestFinished(() => client.close());
    const url = `http://slow.example.com:${receiver.port}/`;

    await expect(client.post(url, {}, "late", { timeout: 50 })).resolves.toMatchObject({
      failure: "timeout",
    });
    resolve.resolve();
    await expect(client.post(url, {}, "next", { timeout: 10_000 })).resolves.toMatchObject({
      statusCode: 204,
    });

    expect(receiver.requests.map(({ body }) => String(body))).toEqual(["next"]);
  });

  test("is sent to the receiver without a dot at its end, and an address in its place not at all", async () => {
    resolvesTo([PUBLIC]);
    const names: string[] = [];
    const server = createTlsServer({
      ...aCertificate("DNS:receiver.example.com"),
      SNICallback: (name, callback) => {
        names.push(name);
        callback(null);
      },
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, PUBLIC.address), "listening");
    const client = new WebhookClient(guardedAgent(allowed));
    onTestFinished(() => client.close());

    for (const host of ["receiver.example.com.", PUBLIC.address, "receiver.example.com"]) {
      const url = `https://${host}:${(server.address() as AddressInfo).port}/`;
      await expect(client.post(url, {}, "{}", { timeout: 10_000 })).resolves.toMatchObject({
        failure: "tls_failed",
      });
    }

    expect(names).toEqual(["receiver.example.com", "receiver.example.com"]);
  });

  test("that resolves again receives deliveries again", async () => {
    resolvesTo(failing("EAI_AGAIN"), [PUBLIC]);
    const { post } = await listeners();

    await expect(post()).resolves.toMatchObject({ failure: "name_not_resolved" });
    await expect(post()).resolves.toMatchObject({ statusCode: 204 });
  });
});
