import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEnvironment } from "#runtime/environment";
import { AllowedNetworks, isDeliverable } from "#webhooks/endpoints/delivery-address";
import { SPECIAL } from "./special-addresses.ts";

const loopback = AllowedNetworks.parse("127.0.0.0/8,::1/128");

/** Public unicast addresses, beside the edges of special ranges. */
const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "169.253.255.255",
  "169.255.0.1",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2001:4860:4860::8888",
  "2a00:1450:4001:81b::200e",
];

describe("a receiver's IP address", () => {
  test.each(PUBLIC)("that is public is allowed: %s", (address) => {
    expect(isDeliverable(address, [])).toBe(true);
  });

  test.each(SPECIAL)("that is special is refused: %s, %s", (_what, address) => {
    expect(isDeliverable(address, [])).toBe(false);
  });

  // IANA has given out global unicast addresses from 2000::/3 alone (RFC 4291 section 2.4).
  test.each(["0:0:0:1::1", "::2:3:4:5", "100:0:0:1::1", "1000::1", "4000::1", "fe00::1"])(
    "outside global unicast is refused: %s",
    (address) => {
      expect(isDeliverable(address, [])).toBe(false);
    },
  );

  test.each(["", " ", "localhost", "example.com", "1.2.3.4.5", "1.2.3.4/8", "[::1]", ":::", "12345::1"])(
    "that is malformed is refused: %j",
    (address) => {
      expect(isDeliverable(address, [])).toBe(false);
      expect(isDeliverable(address, loopback)).toBe(false);
    },
  );

  test("of IPv4 that is mapped into IPv6 is refused, even if its network is allowed", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.constant("127.0.0.1")), (address) => {
        const mapped = `::ffff:${address}`;
        expect(isDeliverable(mapped, [])).toBe(false);
        expect(isDeliverable(mapped, loopback)).toBe(false);
      }),
    );
  });
});

describe("the setting of allowed networks", () => {
  test.each(["127.0.0.1", "127.9.9.9", "::1"])("allows %s", (address) => {
    expect(isDeliverable(address, loopback)).toBe(true);
  });

  test.each(["10.0.0.1", "169.254.169.254", "::2", "::7f00:1", "fd00:ec2::254", "0.0.0.0", "::"])(
    "allows nothing else: %s",
    (address) => {
      expect(isDeliverable(address, loopback)).toBe(false);
    },
  );

  test("does not affect public addresses", () => {
    for (const address of PUBLIC) expect(isDeliverable(address, loopback)).toBe(true);
  });

  test.each(["", ","])("is empty for the list %j", (list) => {
    expect(AllowedNetworks.parse(list)).toEqual([]);
  });

  test.each([
    "nonsense",
    "127.0.0.1",
    "127.0.0.0/33",
    "127.0.0.0/8,x",
    "10/8",
    "012.0.0.0/8",
    "0x0a000000/8",
  ])("prevents the start if it is not CIDR notation in full, naming the variable: %s", (list) => {
    const start = () =>
      readEnvironment({ ALLOWED_WEBHOOK_NETWORKS: AllowedNetworks }, { ALLOWED_WEBHOOK_NETWORKS: list });

    expect(start).toThrow("ALLOWED_WEBHOOK_NETWORKS");
  });
});
