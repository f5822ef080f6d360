import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CandidateServiceClient, type Fetch } from "../../client/src/index.ts";
import { freePort } from "../../local/machine/free-port.ts";
import { aClientOf, failureOf, retryWithoutBackoff } from "./scripted-client.ts";
import { breaks, hangs } from "./scripted-service.ts";

retryWithoutBackoff();

describe("a failed call of the client", () => {
  test("throws connection_failed if nothing listens", async () => {
    const client = new CandidateServiceClient({ baseUrl: "http://127.0.0.1:9", apiKey: "k", retries: 1 });

    const error = await failureOf(client.getCandidate("staged_1"));

    expect(error).toMatchObject({ code: "connection_failed", status: undefined, attempts: 2 });
    expect(error.cause).toBeInstanceOf(Error);
  });

  test.each(["127.0.0.1", "localhost"])("prints host, port and the system's code: %s", async (name) => {
    const host = `${name}:${await freePort("127.0.0.1")}`;
    const client = new CandidateServiceClient({ baseUrl: `http://${host}`, apiKey: "k", retries: 0 });

    const error = await failureOf(client.getCandidate("staged_1"));

    expect(`${error}`).toContain(
      `${host} could not be reached, or the connection was lost: connect ECONNREFUSED`,
    );
    expect(inspect(error)).toContain("connect ECONNREFUSED 127.0.0.1");
  });

  test("prints a name that has no address", async () => {
    const client = new CandidateServiceClient({
      baseUrl: "https://nowhere.invalid",
      apiKey: "k",
      retries: 0,
    });

    expect(`${await failureOf(client.getCandidate("staged_1"))}`).toMatch(
      /nowhere\.invalid:443 .*: getaddrinfo (?:ENOTFOUND|EAI_AGAIN) nowhere\.invalid\.$/,
    );
  });

  test("prints the cause of a lost connection", async () => {
    const { client, baseUrl } = await aClientOf([breaks], { retries: 0 });

    expect(`${await failureOf(client.getCandidate("staged_1"))}`).toBe(
      `CandidateServiceError: ${baseUrl.slice("http://".length)} could not be reached, or the connection was lost: UND_ERR_SOCKET: other side closed.`,
    );
  });

  test("prints the cause once for each address of a name that has several", async () => {
    const refused = ["::1", "127.0.0.1", "127.0.0.1"].map((address) =>
      Object.assign(new Error(`connect ECONNREFUSED ${address}:3000`), { code: "ECONNREFUSED" }),
    );
    const cause = Object.assign(new AggregateError(refused), { code: "ECONNREFUSED" });
    const fetch = () => Promise.reject(new TypeError("fetch failed", { cause }));
    const client = new CandidateServiceClient({ baseUrl: "https://host", apiKey: "k", retries: 0, fetch });

    expect((await failureOf(client.getCandidate("staged_1"))).message).toMatch(
      /^host:443 .*: connect ECONNREFUSED ::1:3000, connect ECONNREFUSED 127\.0\.0\.1:3000\.$/,
    );
  });

  test("does not print what another runtime's error says, which may contain the externalId", async () => {
    const fetch = () =>
      Promise.reject(new TypeError("to http://h/v1/candidates?externalId=ada@example.com: refused"));
    const client = new CandidateServiceClient({
      baseUrl: "http://localhost",
      apiKey: "k",
      retries: 0,
      fetch,
    });

    expect(`${await failureOf(client.findCandidate("ada@example.com"))}`).toMatch(
      /localhost:80 .*: see the cause\.$/,
    );
  });

  test.each([
    [
      "error sending request for url (https://host/v1/candidates?externalId=a(b)@example.com): client error (Connect): tcp connect error: Connection refused (os error 111)",
      "client error (Connect): tcp connect error: Connection refused (os error 111).",
    ],
    [
      "error sending request from 127.0.0.1:43820 for https://host/v1/candidates?externalId=a(b)@example.com (127.0.0.1:443): client error (SendRequest): connection closed before message completed",
      "client error (SendRequest): connection closed before message completed.",
    ],
  ])("prints the reason in Deno's error, but not the URL before it: %s", async (message, reason) => {
    const cause = new Error(message);
    const client = new CandidateServiceClient({
      baseUrl: "https://host",
      apiKey: "k",
      retries: 0,
      fetch: () => Promise.reject(new TypeError("fetch failed", { cause })),
    });

    expect((await failureOf(client.findCandidate("a(b)@example.com"))).message).toBe(
      `host:443 could not be reached, or the connection was lost: ${reason}`,
    );
  });

  test("prints the cause of an error of another realm, as fetch throws it in Jest's tests", async () => {
    const failure = runInNewContext(
      `new TypeError("fetch failed", { cause: Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }) })`,
    );
    const client = new CandidateServiceClient({
      baseUrl: "https://host",
      apiKey: "k",
      retries: 0,
      fetch: () => Promise.reject(failure),
    });

    expect((await failureOf(client.getCandidate("staged_1"))).message).toMatch(
      /: connect ECONNREFUSED 127\.0\.0\.1:1\.$/,
    );
  });

  test.each(["Is the URL right?", "It is not.", "ssl3_get_record.c:350:\n"])(
    "ends the message with one full stop if the cause ends otherwise: %j",
    async (reason) => {
      const client = new CandidateServiceClient({
        baseUrl: "https://host",
        apiKey: "k",
        retries: 0,
        fetch: () => Promise.reject(new TypeError("fetch failed", { cause: new Error(reason) })),
      });

      expect((await failureOf(client.getCandidate("staged_1"))).message).toMatch(/\w\.$/);
    },
  );

  test("throws timeout if no response arrives in time", async () => {
    const { client, requests } = await aClientOf([hangs], { timeoutMs: 1_000, retries: 1 });

    expect(await failureOf(client.getCandidate("staged_1"))).toMatchObject({
      code: "timeout",
      status: undefined,
      attempts: 2,
    });
    expect(requests).toHaveLength(2);
  });

  test("throws timeout after 30 seconds by default", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const fetch: Fetch = (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    const client = new CandidateServiceClient({
      baseUrl: "http://localhost",
      apiKey: "k",
      retries: 0,
      fetch,
    });

    const failure = failureOf(client.getCandidate("staged_1"));
    await vi.advanceTimersByTimeAsync(30_000);

    expect(await failure).toMatchObject({
      code: "timeout",
      message: expect.stringMatching(/ within 30000 ms\.$/),
    });
  });

  test("leaves no timer that keeps the process running", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const fetch = () => Promise.reject(new Error("no network"));
    const client = new CandidateServiceClient({
      baseUrl: "http://localhost",
      apiKey: "k",
      retries: 0,
      fetch,
    });

    expect(await failureOf(client.getCandidate("staged_1"))).toMatchObject({ code: "connection_failed" });
    expect(vi.getTimerCount()).toBe(0);
  });
});
