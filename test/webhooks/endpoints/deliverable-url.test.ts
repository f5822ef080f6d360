import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { InvalidRequest } from "#contract/errors";
import { parse } from "#contract/parse";
import { deliverableUrl } from "#webhooks/endpoints/deliverable-url";
import { AllowedNetworks } from "#webhooks/endpoints/delivery-address";
import { SPECIAL } from "./special-addresses.ts";

const loopback = AllowedNetworks.parse("127.0.0.0/8,::1/128");

const LONGEST_LABEL = "a".repeat(63);
/** A host name of 253 characters. */
const LONGEST_NAME = [LONGEST_LABEL, LONGEST_LABEL, LONGEST_LABEL, "a".repeat(61)].join(".");

/** The whole judgement that registration makes of a URL. */
function register(url: string, allowed = AllowedNetworks.parse("")): void {
  parse(z.object({ url: deliverableUrl(allowed) }), { url }, "body");
}

describe("a webhook endpoint's URL", () => {
  test.each([
    "https://receiver.example.com/hooks",
    "https://receiver.example.com:8443/hooks?tenant=1&x=%20#part",
    "https://RECEIVER.EXAMPLE.COM/",
    "HTTPS://receiver.example.com/",
    "https://receiver.example.com./hooks",
    "https://xn--bcher-kva.example/",
    "https://a.b.c.d.e.example.co.uk/",
    "https://_receiver.a_b.example.com/",
    "https://a-.-b.example.com/",
    `https://${LONGEST_NAME}/`,
    `https://${LONGEST_NAME}./`,
    `https://${"%C3%BC".repeat(57)}.example/`,
    "https://8.8.8.8/hooks",
    "https://[2606:4700:4700::1111]/hooks",
    "https://localhost.example.com/",
    "https://127.0.0.1.example.com/",
    "https://internal.example.com/",
  ])("is accepted: %s", (url) => {
    expect(() => register(url)).not.toThrow();
  });

  test.each([
    ["plain http", "http://receiver.example.com/"],
    ["plain http to a public literal", "http://8.8.8.8/"],
    ["ftp", "ftp://receiver.example.com/"],
    ["a file", "file:///etc/passwd"],
    ["a script", "javascript:alert(1)"],
    ["a web socket", "wss://receiver.example.com/"],
    ["no scheme", "receiver.example.com/hooks"],
    ["a path alone", "/hooks"],
    ["no host", "https://"],
    ["nothing", ""],
    ["a user", "https://user@receiver.example.com/"],
    ["user and password", "https://user:password@receiver.example.com/"],
    ["a password alone", "https://:password@receiver.example.com/"],
    ["a host disguised as a user", "https://receiver.example.com@127.0.0.1/"],
    ["localhost", "https://localhost/"],
    ["localhost in capitals", "https://LOCALHOST/"],
    ["localhost with a dot", "https://localhost./"],
    ["localhost in percent encoding", "https://%6c%6f%63alhost/"],
    ["localhost in wide letters", "https://ｌｏｃａｌｈｏｓｔ/"],
    ["a name below localhost", "https://app.localhost/"],
    ["a name below localhost with a dot", "https://app.localhost./"],
    [".local", "https://printer.local/"],
    [".internal", "https://metadata.google.internal/"],
    [".home.arpa", "https://router.home.arpa/"],
    ["a single label", "https://intranet/"],
    ["a single label with a dot", "https://intranet./"],
    ["an empty label", "https://.com/"],
    ["an empty label within", "https://a..example.com/"],
    ["an empty label at its end", "https://example.com../"],
    ["a label of 64 octets", `https://a${LONGEST_LABEL}.example.com/`],
    ["a last label of 64 octets", `https://example.a${LONGEST_LABEL}/`],
    ["a label of 64 octets in punycode", `https://${"%C3%BC".repeat(58)}.example/`],
    ["a name of 254 characters", `https://${LONGEST_NAME}a/`],
    ["a name of 254 characters with a dot", `https://${LONGEST_NAME}a./`],
    ["a hyphen at its beginning", "https://-receiver.example.com/"],
    ["a character that no host name has", "https://a$b.example.com/"],
    ["the network at home", "https://home.arpa/"],
    ["loopback", "https://127.0.0.1/"],
    ["loopback with a port", "https://127.0.0.1:8443/"],
    ["loopback with a dot", "https://127.0.0.1./"],
    ["loopback in decimal", "https://2130706433/"],
    ["loopback in hex", "https://0x7f000001/"],
    ["loopback in hex parts", "https://0x7f.0x0.0x0.0x1/"],
    ["loopback in octal", "https://0177.0.0.1/"],
    ["loopback in long octal", "https://017700000001/"],
    ["loopback in mixed notations", "https://0x7f.1/"],
    ["loopback, short", "https://127.1/"],
    ["loopback in circled digits", "https://①②⑦.⓪.⓪.①/"],
    ["loopback with ideographic dots", "https://127。0。0。1/"],
    ["metadata in decimal", "https://2852039166/"],
    ["metadata in hex", "https://0xa9fea9fe/"],
    ["metadata in octal", "https://0251.0376.0251.0376/"],
    ["this host, short", "https://0/"],
    ["broadcast in decimal", "https://4294967295/"],
  ])("is refused: %s", (_what, url) => {
    expect(() => register(url)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });

  test.each(SPECIAL.filter(([, address]) => !address.includes("%")))(
    "is refused with a special IP address: %s, %s",
    (_what, address) => {
      const host = address.includes(":") ? `[${address}]` : address;

      expect(() => register(`https://${host}/`)).toThrow(InvalidRequest);
    },
  );

  // Decisions, "Values": RFC 3986 characters, at most 2048, leading spaces refused; stored as sent.
  test.each([
    ["a space before it", " https://receiver.example.com/"],
    ["a space after it", "https://receiver.example.com/ "],
    ["a space within", "https://receiver.example.com/a b"],
    ["a line break", "https://receiver.example.com/\nhooks"],
    ["a tab in the host", "https://receiver.exam\tple.com/"],
    ["a letter that is not ASCII", "https://receiver.example.com/hööks"],
    ["a backslash", "https://receiver.example.com\\@127.0.0.1/"],
    ["angle brackets", "https://receiver.example.com/<hooks>"],
    ["a stray percent sign", "https://receiver.example.com/100%"],
  ])("is refused if it is not a URI: %s", (_what, url) => {
    expect(() => register(url)).toThrow(InvalidRequest);
  });

  test.each([
    ["a port that there is not", "https://receiver.example.com:65536/"],
    ["a host with an encoded space", "https://ex%20ample.com/"],
    ["an address of the future", "https://[v1.fe80::a]/"],
    ["a host that is no IPv4 address", "https://1.2.3.256/"],
  ])("is refused without an internal error if it is a URI but not a URL: %s", (_what, url) => {
    expect(() => register(url)).toThrow(InvalidRequest);
  });

  test.each([
    [
      "https://receiver.example.com:65536/",
      "url: a URL with a host and port that can be connected to is expected",
    ],
    [
      "https://user@receiver.example.com/",
      "url: an absolute https URL in ASCII, without user name and password, of at most 2048 characters, is expected",
    ],
    ["http://receiver.example.com/", "url: an https URL is expected"],
    ["https://intranet/", "url: a public host is expected"],
    [
      "https://a..example.com/",
      "url: a host name that can be resolved, of at most 253 characters, in labels of 1 to 63 letters, digits, - and _, not beginning with -, is expected",
    ],
  ])("is refused with what is expected: %s", (url, message) => {
    expect(() => register(url)).toThrow(expect.objectContaining({ message }));
  });

  test.each([0, 22, 25, 80, 442, 444, 1023])("is refused with the port of another service: %i", (port) => {
    expect(() => register(`https://receiver.example.com:${port}/`)).toThrow(
      expect.objectContaining({ message: "url: port 443, or 1024 and above, is expected" }),
    );
  });

  test.each(["", ":443", ":1024", ":8443", ":65535"])("may end its host with %j", (port) => {
    expect(() => register(`https://receiver.example.com${port}/`)).not.toThrow();
  });

  test.each([443, 1024])("may name port %i without https in a network that is allowed", (port) => {
    const url = `http://127.0.0.1:${port}/`;

    expect(() => register(url, AllowedNetworks.parse("127.0.0.0/8"))).not.toThrow();
  });

  test("is accepted up to 2048 characters and refused beyond", () => {
    const url = (length: number) => "https://receiver.example.com/".padEnd(length, "a");

    expect(() => register(url(2048))).not.toThrow();
    expect(() => register(url(2049))).toThrow(InvalidRequest);
  });

  test("is not repeated in the message if it is refused", () => {
    expect(() => register("https://user:canary@127.0.0.1/")).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/canary|127/) }),
    );
  });
});

describe("with loopback allowed, a webhook endpoint's URL", () => {
  test.each([
    "http://127.0.0.1:3000/hooks",
    "https://127.0.0.1/",
    "http://[::1]:3000/",
    "http://localhost:3000/",
    "http://2130706433:3000/",
    "http://app.localhost:3000/",
  ])("may refer to this machine, even over http: %s", (url) => {
    expect(() => register(url, loopback)).not.toThrow();
  });

  test.each([
    "http://receiver.example.com/",
    "http://8.8.8.8/",
    "https://10.0.0.1/",
    "http://10.0.0.1:3000/",
    "https://169.254.169.254/",
    "https://[fd00:ec2::254]/",
    "https://[::]/",
    "https://0.0.0.0/",
    "http://user@127.0.0.1:3000/",
    "http://[::ffff:127.0.0.1]:3000/",
    "https://[::ffff:7f00:1]/",
    "https://intranet/",
  ])("may not refer to other private addresses: %s", (url) => {
    expect(() => register(url, loopback)).toThrow(InvalidRequest);
  });

  test.each(["http://127.0.0.1/", "http://127.0.0.1:80/", "http://localhost/", "https://127.0.0.1:80/"])(
    "may not use the port of a web server: %s",
    (url) => {
      expect(() => register(url, loopback)).toThrow(
        expect.objectContaining({ message: "url: port 443, or 1024 and above, is expected" }),
      );
    },
  );
});
