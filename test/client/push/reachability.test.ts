import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createOnly, rowCreator } from "../../../client/push/create-rows.ts";
import { Pacer } from "../../../client/push/pacer.ts";
import { connectionProblem, retryOptions } from "../../../client/push/reachability.ts";
import { CandidateServiceClient, CandidateServiceError } from "../../../client/src/index.ts";
import { aSubmission } from "../../builders/submission.ts";

type Fetch = typeof globalThis.fetch;

const hangs: Fetch = (_, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
  });
const fails: Fetch = async () =>
  Response.json({ error: "internal_error", message: "Alas." }, { status: 500 });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Pushes a batch of 20 rows to a service that does this with each request. */
function pushing(fetch: Fetch) {
  vi.spyOn(globalThis, "fetch").mockImplementation(fetch);
  const pacer = new Pacer();
  const stop = new AbortController().signal;
  const client = new CandidateServiceClient({
    baseUrl: "http://localhost",
    apiKey: "k",
    ...retryOptions(pacer, stop),
  });
  const limits = { rows: 100, bytes: 1_000_000 };
  const submit = createOnly(rowCreator({ client, limits, pacer }), new Date());
  const rows = Array.from({ length: 20 }, (_, at) => ({
    number: at + 1,
    bytes: 1,
    value: aSubmission({ externalId: `ext-${at}` }),
  }));
  const startedAt = performance.now();
  const ended = Array.fromAsync(submit(rows, stop))
    .catch((error: Error) => error.message)
    .then((outcome) => ({ outcome, seconds: (performance.now() - startedAt) / 1000 }));
  return { pacer, ended };
}

describe("a push to a service that never succeeds", () => {
  test.each([
    ["hangs", hangs, expect.stringMatching(/^timeout: /)],
    ["fails", fails, Array(20).fill(expect.objectContaining({ outcome: expect.anything() }))],
  ])("ends after about a minute if it %s", async (_, fetch, outcome) => {
    const { ended } = pushing(fetch);

    await vi.advanceTimersByTimeAsync(600_000);

    const { seconds, ...rest } = await ended;
    expect(rest).toEqual({ outcome });
    expect(seconds).toBeGreaterThan(59);
    expect(seconds).toBeLessThan(85);
  });

  test("shows why rows are delayed, also while it waits for a response", async () => {
    const { pacer } = pushing(hangs);
    expect(pacer.delay).toBeUndefined();

    await vi.advanceTimersByTimeAsync(6_000);
    expect(pacer.delay?.reason).toBe("waiting for the service");

    await vi.advanceTimersByTimeAsync(30_000);
    expect(pacer.delay).toEqual({ reason: "no response", remainingMs: 0 });
  });

  test("shows the status code with which the service fails", async () => {
    const { pacer } = pushing(fails);

    await vi.advanceTimersByTimeAsync(5_000);

    expect(pacer.delay?.reason).toBe("the service fails (status code 500)");
  });
});

test("a push goes on after the computer slept, although it finds no connection at first", async () => {
  const { pacer, ended } = pushing(fails);
  await vi.advanceTimersByTimeAsync(1);
  vi.spyOn(globalThis, "fetch").mockImplementation(hangs);
  await vi.advanceTimersByTimeAsync(10_000);
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 3_600_000);
  vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("fetch failed"));

  await vi.advanceTimersByTimeAsync(22_000);
  expect(pacer.delay?.reason).toBe("no connection");
  vi.spyOn(globalThis, "fetch").mockImplementation(creates(20));
  await vi.advanceTimersByTimeAsync(30_000);

  const { outcome } = await ended;
  expect(outcome).toEqual(Array(20).fill(expect.objectContaining({ outcome: { kind: "created" } })));
});

test("a push shows no delay once the service succeeds again", async () => {
  const { pacer } = pushing(fails);
  await vi.advanceTimersByTimeAsync(5_000);
  vi.spyOn(globalThis, "fetch").mockResolvedValue(Response.json({ results: [] }));

  await vi.advanceTimersByTimeAsync(60_000);

  expect(pacer.delay).toBeUndefined();
});

/** Creates the first rows of each batch, and has no time for the others. */
function creates(count: number): Fetch {
  const busy = { status: 503, error: "service_unavailable", message: "No time." };
  return async (_, init) => {
    const { candidates } = JSON.parse(String(init?.body)) as { candidates: { externalId: string }[] };
    const receivedAt = new Date().toISOString();
    const receipt = { status: 201, stagedId: "staged_1", receivedAt, replayed: false };
    return Response.json({
      results: candidates.map(({ externalId }, at) => ({ externalId, ...(at < count ? receipt : busy) })),
    });
  };
}

test("a push goes on for as long as the service takes a row with each request", async () => {
  const { ended, pacer } = pushing(creates(1));

  await vi.advanceTimersByTimeAsync(600_000);

  const { outcome } = await ended;
  expect(outcome).toEqual(Array(20).fill(expect.objectContaining({ outcome: { kind: "created" } })));
  expect(pacer.delay, "after the last row").toBeUndefined();
});

test("a push sends rows that the service has no time for again ten times, after longer and longer pauses", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const sentAt: number[] = [];
  const { ended, pacer } = pushing((...request) => {
    sentAt.push(performance.now());
    return creates(0)(...request);
  });

  await vi.advanceTimersByTimeAsync(100);
  expect(pacer.delay).toEqual({ reason: "the service is busy", remainingMs: 25 });
  await vi.advanceTimersByTimeAsync(600_000);

  expect((await ended).outcome).toBe("service_unavailable: No time.");
  const pauses = sentAt.slice(1).map((at, before) => at - (sentAt[before] ?? 0));
  expect(pauses).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
});

const systemError = (code: string, message: string) => Object.assign(new Error(message), { code });
const loses =
  (code: string): Fetch =>
  () =>
    Promise.reject(new TypeError("fetch failed", { cause: systemError(code, "lost") }));
const refuses =
  (status: number, headers = {}): Fetch =>
  async () =>
    Response.json({ error: "refused", message: "No." }, { status, headers });
const waits = refuses(429, { "Retry-After": "50" });

test.each<[string, readonly Fetch[], string]>([
  ["breaks the first connection", [loses("ECONNRESET")], "no connection"],
  [
    "refuses connections after a response",
    [refuses(503), loses("ECONNREFUSED")],
    "the service asked callers to wait",
  ],
  ["asks callers to wait for minutes in all", [waits, waits, waits], "the service asked callers to wait"],
])("a push goes on if the service %s", async (_, responses, reason) => {
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const left = [...responses];
  const { ended, pacer } = pushing((...request) => (left.shift() ?? creates(20))(...request));

  await vi.advanceTimersByTimeAsync(100);
  expect(pacer.delay?.reason).toBe(reason);
  await vi.advanceTimersByTimeAsync(600_000);

  expect((await ended).outcome).toHaveLength(20);
});

const refused = systemError("ECONNREFUSED", "connect ECONNREFUSED ::1:443");

test.each<[string, Error, string]>([
  [
    "of the first of several addresses",
    new AggregateError([refused]),
    "a.example:443 refuses connections (ECONNREFUSED): nothing listens there.",
  ],
  [
    "of a name server that does not respond",
    systemError("EAI_AGAIN", "getaddrinfo EAI_AGAIN a.example"),
    "a.example:443 cannot be reached: the host name is not known (EAI_AGAIN).",
  ],
  [
    "with the code in its message",
    systemError("ETIMEDOUT", "connect ETIMEDOUT 192.0.2.1:443"),
    "a.example:443 cannot be reached: connect ETIMEDOUT 192.0.2.1:443.",
  ],
  [
    "without the code in its message",
    systemError("UND_ERR_SOCKET", "other side closed"),
    "a.example:443 cannot be reached: other side closed (UND_ERR_SOCKET).",
  ],
])("a lost connection is explained by its innermost cause: %s", (_, cause, sentence) => {
  const error = new CandidateServiceError("connection_failed", "fetch failed", {
    cause: new TypeError("fetch failed", { cause }),
  });

  expect(connectionProblem(error, "https://a.example")).toBe(
    `${sentence} Check the address https://a.example, and that the service is running.`,
  );
});
