import { describe, expect, test } from "vitest";
import { CandidateServiceClient, type ClientOptions } from "../../client/src/index.ts";

describe("the client", () => {
  test("refuses an API key that no header can carry, without repeating it", () => {
    expect(
      () => new CandidateServiceClient({ baseUrl: "http://localhost", apiKey: "rr_dev_sec\nret" }),
    ).toThrow(expect.objectContaining({ message: expect.not.stringContaining("sec") }));
  });

  test.each(["me:s3cret", ":s3cret", "s3cret"])("refuses a base URL with the user info %s", (userInfo) => {
    const baseUrl = `http://${userInfo}@localhost`;

    expect(() => new CandidateServiceClient({ baseUrl, apiKey: "k" })).toThrow(
      new TypeError("baseUrl: a URL without user name or password is expected"),
    );
  });

  test.each([
    "http://api.example.com",
    "http://10.0.0.1:3000",
    "http://localhost.example.com",
    "http://notlocalhost",
    "http://127.0.0.1.example.com",
    "http://[::2]",
  ])("sends nothing unencrypted to another machine: %s", (baseUrl) => {
    expect(() => new CandidateServiceClient({ baseUrl, apiKey: "k" })).toThrow(/^baseUrl: https is expected/);
  });

  test.each([
    "http://localhost:3000",
    "http://LOCALHOST",
    "http://api.localhost",
    "http://127.1:80",
    "http://127.10.20.30",
    "http://[::1]",
    "https://10.0.0.1",
    "HTTPS://api.example.com",
  ])("accepts this machine, and any other with https: %s", (baseUrl) => {
    expect(() => new CandidateServiceClient({ baseUrl, apiKey: "k" })).not.toThrow();
  });

  const milliseconds = "timeoutMs: a number of milliseconds from 1 to 2147483647 is expected";
  const count = "retries: a whole number, 0 or more, is expected";
  test.each<[object, string]>([
    ...[0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, null, "1000"].map(
      (timeoutMs): [object, string] => [{ timeoutMs }, milliseconds],
    ),
    ...[-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, null, "2"].map((retries): [object, string] => [
      { retries },
      count,
    ]),
    [{ apiKey: undefined }, "apiKey: visible ASCII characters are expected"],
    ...["localhost:3000", new URL("https://localhost/?stage=1")].map((baseUrl): [object, string] => [
      { baseUrl },
      "baseUrl: an absolute http or https URL without query, fragment or spaces is expected",
    ]),
    [
      { baseUrl: "https://api.example.com/development/v1/" },
      "baseUrl: the address without /v1 is expected, which the client adds",
    ],
    [
      { timeout: 1_000 },
      "options: the client has no option timeout; expected are baseUrl, apiKey, timeoutMs, retries, onRetry, stopRetries, fetch",
    ],
    [{ onRetry: "log" }, "onRetry: a function is expected"],
    [{ fetch: null }, "fetch: a function is expected"],
    [{ stopRetries: new AbortController() }, "stopRetries: an AbortSignal is expected"],
  ])("refuses the options %o with a message that names what is expected", (options, message) => {
    const given = { baseUrl: "https://localhost", apiKey: "k", ...options } as ClientOptions;

    expect(() => new CandidateServiceClient(given)).toThrow(new TypeError(message));
  });

  test.each([undefined, null, "https://localhost"])("refuses %o instead of the options", (options) => {
    expect(() => new CandidateServiceClient(options as never)).toThrow(
      new TypeError("options: an object is expected"),
    );
  });

  test.each([
    { timeoutMs: 1 },
    { timeoutMs: 2 ** 31 - 1 },
    { retries: 0 },
    { timeoutMs: undefined, retries: undefined },
    { onRetry: () => {}, stopRetries: AbortSignal.abort(), fetch: globalThis.fetch },
  ])("accepts the options %o", (options) => {
    expect(
      () => new CandidateServiceClient({ baseUrl: "https://localhost", apiKey: "k", ...options }),
    ).not.toThrow();
  });
});
