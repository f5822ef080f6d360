import { on, once } from "node:events";
import { mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { deliveryHeaders } from "#webhooks/delivery/delivery-headers";
import { type FeedEvent, verifyWebhook } from "../../../client/src/index.ts";
import { freePort } from "../../../local/machine/free-port.ts";
import { startCommand } from "../command.ts";
import { type CommandHere, commandHere } from "../command-here.ts";
import { aFeedEvent, refuse, startFeedService, timeOf } from "../feed-service.ts";
import { hangs, responds, type SeenRequest, type Step, startService } from "../scripted-service.ts";

const KEY = "rr_dev_secret";
const SECRET = "whsec_mG4xkfRg0pXo3VvUq1cZ6nJ8hY2sT5wB7dLrEaKiQyM=";
const SINCE = timeOf(0);

type Feed = Awaited<ReturnType<typeof startFeedService>>;
type Receiver = Awaited<ReturnType<typeof startService>>;

// The commands in this process remember their place here, each by the address of its service.
beforeAll(async () => {
  vi.stubEnv("HOME", await aHome());
  for (const name of ["CANDIDATES_URL", "CANDIDATES_API_KEY"]) vi.stubEnv(name, undefined);
});
afterAll(() => void vi.unstubAllEnvs());

/** What ends with the tests: of concurrent tests, none is the current one. */
const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

async function aFeedService(...events: FeedEvent[]): Promise<Feed> {
  const feed = await startFeedService(...events);
  stops.push(feed.stop);
  return feed;
}

async function aService(...steps: readonly Step[]): Promise<Receiver> {
  const service = await startService(...steps);
  stops.push(service.stop);
  return service;
}

const aHome = () => mkdtemp(join(tmpdir(), "listen-"));
const upTo = (count: number, from = 1) =>
  Array.from({ length: count }, (_, at) => aFeedEvent(from + at, { candidate: `${from + at}` }));
const idOf = ({ body }: SeenRequest): string => JSON.parse(body).id;
const idsAt = ({ requests }: Receiver) => requests.map(idOf);
const idsOf = (events: readonly FeedEvent[]) => events.map(({ id }) => id);

/** The client's backoff is random between nothing and its bound. */
const WITHOUT_BACKOFF = { NODE_OPTIONS: "--import=data:text/javascript,Math.random=()=>0" };

interface Setting {
  readonly feed: Pick<Feed, "baseUrl">;
  readonly receiver: Pick<Receiver, "baseUrl">;
}

/** Of a command in a process of its own: its user, whose home folder no other command has. */
interface UsersSetting extends Setting {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
}

const forwardTo = ({ receiver }: Setting) => ["listen", "--forward-to", `${receiver.baseUrl}/hooks`];

/** Starts `candidates listen` in this process. */
function listenHere(setting: Setting, ...args: string[]): CommandHere {
  const options = ["--url", setting.feed.baseUrl, "--key", KEY, ...args];
  const listen = commandHere([...forwardTo(setting), ...options]);
  stops.push(listen.interrupt);
  return listen;
}

/** Starts `candidates listen` for the user of a home folder, in a process of its own. */
function startListen(setting: UsersSetting, ...args: string[]) {
  const { feed, home, env = {} } = setting;
  const listen = startCommand([...forwardTo(setting), ...args], {
    env: { ...env, HOME: home, CANDIDATES_URL: feed.baseUrl, CANDIDATES_API_KEY: KEY },
  });
  stops.push(() => void listen.process.kill("SIGKILL"));
  return listen;
}

/** Waits until a command has said a sentence. */
async function saying(stderr: Readable | null, sentence: string) {
  let said = "";
  for await (const [chunk] of on(stderr ?? new PassThrough(), "data")) {
    said += chunk;
    if (said.includes(sentence)) return;
  }
}

/** Runs it until the receiver has so many requests, then interrupts it. */
async function listenUntil(
  count: number,
  setting: Setting & { readonly receiver: Receiver },
  ...args: string[]
) {
  const listen = listenHere(setting, ...args);
  await setting.receiver.received(count);
  listen.interrupt();
  return listen.ended;
}

/** The same in a process of its own. */
async function runUntil(
  count: number,
  setting: UsersSetting & { readonly receiver: Receiver },
  ...args: string[]
) {
  const listen = startListen(setting, ...args);
  await setting.receiver.received(count);
  listen.process.kill("SIGINT");
  return listen.ended;
}

async function stateIn(home: string) {
  const folder = join(home, ".candidates");
  const [file = "", ...others] = await readdir(folder);
  expect(others).toEqual([]);
  const { mode } = await stat(join(folder, file));
  return { mode: mode & 0o777, text: `${file}\n${await readFile(join(folder, file), "utf8")}` };
}

// At the same time: each waits for processes to start and to end.
describe.concurrent("candidates listen", () => {
  test("forwards events as the service delivers them, signed with the secret that it prints", async () => {
    const feed = await aFeedService(
      aFeedEvent(1),
      aFeedEvent(2, { type: "candidate.verified", sequence: 2 }),
    );
    const receiver = await aService(responds(204));

    const { code, stdout, stderr } = await listenUntil(2, { feed, receiver }, "--since", SINCE);

    const secret = /^Signing secret: (whsec_\S+)$/m.exec(stderr)?.[1] ?? "";
    expect(code).toBe(0);
    for (const [index, { method, path, headers, body }] of receiver.requests.entries()) {
      const event = feed.events[index];
      expect([method, path, JSON.parse(body)]).toEqual(["POST", "/hooks", event]);
      expect(await verifyWebhook(body, headers, secret)).toEqual(event);
      const { id: eventId = "", type: eventType = "candidate.received" } = event ?? {};
      const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
      const asDelivered = deliveryHeaders({ body, eventId, eventType, attempt: 1 }, { current: secret }, at);
      const ofTheConnection = ["host", "connection", "content-length"];
      expect(
        Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheConnection.includes(name))),
      ).toEqual(
        Object.fromEntries(Object.entries(asDelivered).map(([name, value]) => [name.toLowerCase(), value])),
      );
    }
    expect(stdout).toMatch(
      /^\S+Z {2}candidate\.received {11}staged_1 {2}204 {2}\d+ ms\n\S+Z {2}candidate\.verified {11}staged_1 {2}204 {2}\d+ ms\n$/,
    );
  });

  test("resumes where it stopped, and stores neither the key nor the address nor an event's data", async () => {
    const feed = await aFeedService(...upTo(3));
    const receiver = await aService(responds(204));
    const setting = { feed, receiver, home: await aHome() };
    const first = await runUntil(3, setting, "--since", SINCE);
    feed.events.push(...upTo(2, 4));

    const second = await runUntil(5, setting);

    const output = [first, second].map(({ stdout, stderr }) => stdout + stderr).join("");
    const { mode, text } = await stateIn(setting.home);
    expect([first.code, second.code]).toEqual([0, 0]);
    expect(idsAt(receiver)).toEqual(idsOf(feed.events));
    expect(mode).toBe(0o600);
    for (const kept of [KEY, feed.baseUrl, "ext-", "whsec_"]) expect(text).not.toContain(kept);
    for (const shown of [KEY, "ext-"]) expect(output).not.toContain(shown);
    expect(feed.keys).toEqual(feed.keys.map(() => KEY));
  });

  test("sends nothing that stays on this machine to the proxy in the environment", async () => {
    const [feed, receiver, proxy] = await Promise.all([
      aFeedService(...upTo(1)),
      aService(responds(204)),
      aService(responds(502)),
    ]);
    const env = {
      NODE_USE_ENV_PROXY: "1",
      HTTP_PROXY: proxy.baseUrl,
      http_proxy: proxy.baseUrl,
      NO_PROXY: "",
      no_proxy: "",
    };

    const { code } = await runUntil(1, { feed, receiver, home: await aHome(), env }, "--since", SINCE);

    expect(code).toBe(0);
    expect(idsAt(receiver)).toEqual(idsOf(feed.events));
    expect(proxy.requests).toEqual([]);
  });

  test("forwards an event once if the feed has it twice", async () => {
    const feed = await aFeedService(...upTo(2), aFeedEvent(1));
    const receiver = await aService(responds(204));
    const setting = { feed, receiver };
    await listenUntil(2, setting, "--since", SINCE);
    feed.events.push(aFeedEvent(2), ...upTo(1, 4));

    await listenUntil(3, setting);

    expect(idsAt(receiver)).toEqual(["evt_1", "evt_2", "evt_4"]);
  });

  test("killed in the middle of a page, resumes there: it loses no event and repeats at most one", async () => {
    const feed = await aFeedService(...upTo(20));
    const killed = Promise.withResolvers<void>();
    const receiver = await aService(...Array(9).fill(responds(204)), () => killed.resolve(), responds(204));
    const setting = { feed, receiver, home: await aHome() };
    const first = startListen(setting, "--since", SINCE);
    await killed.promise;
    first.process.kill("SIGKILL");
    await first.ended;

    await runUntil(21, setting);

    expect(idsAt(receiver)).toEqual(idsOf([...upTo(10), ...upTo(11, 10)]));
  });

  test("refuses a --since in the future, and forwards nothing", async () => {
    const feed = await aFeedService(...upTo(2));
    const receiver = await aService(responds(204));

    const { code, stderr } = await startListen(
      { feed, receiver, home: await aHome() },
      "--since",
      "2099-01-01T00:00:00Z",
    ).ended;

    expect(code).toBe(2);
    expect(stderr).toContain("--since: a time in the past is expected, by this machine's clock");
    expect(feed.queries).toEqual([]);
  });

  test("starts at --since, and forwards only --types", async () => {
    const feed = await aFeedService(...upTo(2), aFeedEvent(3, { type: "candidate.promoted", sequence: 2 }));
    const receiver = await aService(responds(204));
    const setting = { feed, receiver };
    await listenUntil(3, setting, "--since", SINCE);

    const { stdout } = await listenUntil(
      4,
      setting,
      "--since",
      timeOf(2),
      "--types",
      "candidate.promoted,candidate.erased",
      "--json",
    );

    expect(idsAt(receiver).slice(3)).toEqual(["evt_3"]);
    expect(feed.queries.at(-1)?.get("types")).toBe("candidate.promoted,candidate.erased");
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        at: expect.stringMatching(/Z$/),
        type: "candidate.promoted",
        eventId: "evt_3",
        stagedId: "staged_1",
        durationMs: expect.any(Number),
        statusCode: 204,
      },
    ]);
  });

  test("begins its first run with the events of the last minute", async () => {
    const now = (agoMs: number) => ({ occurredAt: new Date(Date.now() - agoMs).toISOString() });
    const feed = await aFeedService(
      { ...aFeedEvent(1), ...now(3_600_000) },
      { ...aFeedEvent(2), ...now(5_000) },
    );
    const receiver = await aService(responds(204));

    await listenUntil(1, { feed, receiver });

    expect(idsAt(receiver)).toEqual(["evt_2"]);
  });

  test("forwards an event within three seconds of its publication, after it was idle", async () => {
    const feed = await aFeedService();
    const queried = Promise.withResolvers<void>();
    feed.fault = () => {
      // After the response, which has no events.
      setImmediate(queried.resolve);
      return false;
    };
    const receiver = await aService(responds(204));
    const listen = startListen({ feed, receiver, home: await aHome() }, "--since", SINCE, "--secret", SECRET);
    await queried.promise;

    feed.events.push(aFeedEvent(1));
    const publishedAt = performance.now();
    await receiver.received(1);

    expect(performance.now() - publishedAt).toBeLessThan(3_000);
    const [{ headers, body } = { headers: {}, body: "" }] = receiver.requests;
    expect(await verifyWebhook(body, headers, SECRET)).toMatchObject({ id: "evt_1" });
    listen.process.kill("SIGTERM");
    expect(await listen.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining("whsec_") });
  });

  test("survives an outage of the service, waits as long as Retry-After says, and says so once", async () => {
    const feed = await aFeedService(...upTo(2));
    const receiver = await aService(responds(204));
    const arrivals: number[] = [];
    feed.fault = (response) => {
      arrivals.push(performance.now());
      if (arrivals.length <= 3) return Boolean(response.destroy());
      if (arrivals.length > 6) return false;
      const headers = { "Retry-After": "1" };
      if (arrivals.length === 4) refuse(response, 429, "rate_limited", "Too many requests.", headers);
      else refuse(response, 503, "service_unavailable", "No.");
      return true;
    };

    const setting = { feed, receiver, home: await aHome(), env: WITHOUT_BACKOFF };
    const { code, stderr } = await runUntil(2, setting, "--since", SINCE);

    expect(code).toBe(0);
    expect((arrivals[4] ?? 0) - (arrivals[3] ?? 0)).toBeGreaterThan(990);
    expect(stderr.match(/^connection_failed: /gm)).toHaveLength(1);
    expect(stderr.match(/^rate_limited: /gm)).toHaveLength(1);
    expect(stderr.match(/^service_unavailable: /gm)).toHaveLength(1);
  });

  test("announces a wait that the service requests, at most an hour, and can be ended at once during it", async () => {
    const feed = await aFeedService();
    feed.fault = (response) => {
      refuse(response, 429, "rate_limited", "Too many requests.", { "Retry-After": "86400" });
      return true;
    };
    const setting = {
      feed,
      receiver: { baseUrl: "http://localhost:1" },
      home: await aHome(),
      env: WITHOUT_BACKOFF,
    };
    const listen = startListen(setting, "--since", SINCE);
    await saying(
      listen.process.stderr,
      "Too many requests. The service asks callers to wait 24 h 0 min. Retrying in 1 h 0 min.",
    );

    listen.process.kill("SIGINT");

    expect(await listen.ended).toMatchObject({ code: 0 });
    expect(feed.queries).toHaveLength(1);
  });

  test("says that its cursor has expired, and continues from the oldest event", async () => {
    const feed = await aFeedService(...upTo(2));
    const receiver = await aService(responds(204));
    const setting = { feed, receiver };
    await listenUntil(2, setting, "--since", SINCE);
    feed.events.push(...upTo(5, 3));
    feed.oldest = 4;

    const { code, stderr } = await listenUntil(5, setting);

    expect(code).toBe(0);
    expect(stderr).toContain("cursor: expired");
    expect(stderr).toContain("Continuing from the oldest");
    expect(idsAt(receiver)).toEqual(["evt_1", "evt_2", "evt_5", "evt_6", "evt_7"]);
  });

  test("resumes where it stopped if a later run was refused a time that is too old", async () => {
    const feed = await aFeedService(...upTo(2));
    const receiver = await aService(responds(204));
    const setting = { feed, receiver };
    await listenUntil(2, setting, "--since", SINCE);
    feed.fault = (response) => {
      refuse(response, 400, "events_expired", "since: too old");
      return true;
    };
    const refused = await listenHere(setting, "--since", "2020-01-01T00:00:00Z").ended;
    feed.fault = undefined;
    feed.events.push(...upTo(1, 3));

    await listenUntil(3, setting);

    expect(refused.code).toBe(1);
    expect(idsAt(receiver)).toEqual(["evt_1", "evt_2", "evt_3"]);
  });

  test.each([
    ["empty", ""],
    ["cut off", '{"place":{"cursor":"at-'],
    ["of another form", '{"cursor":"at-1"}'],
    ["without a cursor's text", '{"place":{"cursor":""},"forwarded":[]}'],
  ])(
    "does not start if its stored position is damaged (%s), until --since or a deletion",
    async (_, text) => {
      const feed = await aFeedService(...upTo(2));
      const receiver = await aService(responds(204));
      const setting = { feed, receiver, home: await aHome() };
      await runUntil(2, setting, "--since", SINCE);
      const [file = ""] = await readdir(join(setting.home, ".candidates"));
      const path = join(setting.home, ".candidates", file);
      await writeFile(path, text);
      feed.events.push(...upTo(1, 3));

      const refused = await startListen(setting).ended;
      const kept = await readFile(path, "utf8");
      await runUntil(3, setting, "--since", timeOf(3));

      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toBe(
        `${path} is damaged, so that it is not known which events were forwarded. Use --since <time> to start from a time of your choice, or delete the file to start with the events of the last minute.\n`,
      );
      expect(kept).toBe(text);
      expect(idsAt(receiver)).toEqual(["evt_1", "evt_2", "evt_3"]);
    },
  );

  test("ends if the service refuses its cursor for another reason, and says how to start again", async () => {
    const feed = await aFeedService(...upTo(1));
    const receiver = await aService(responds(204));
    const setting = { feed, receiver };
    await listenUntil(1, setting, "--since", SINCE);
    feed.fault = (response) => {
      refuse(response, 400, "invalid_request", "cursor: a nextCursor of your organisation is expected");
      return true;
    };

    const { code, stderr } = await listenHere(setting).ended;

    expect(code).toBe(1);
    expect(stderr).toContain(
      "\ninvalid_request: cursor: a nextCursor of your organisation is expected (request req-1) Use --since <time> to start from another time.\n",
    );
    expect(stderr).not.toContain("lost");
  });

  test("ends if every cursor of the service has expired", async () => {
    const feed = await aFeedService(...upTo(1));
    feed.fault = (response, query) => {
      if (!query.has("cursor")) return false;
      refuse(response, 400, "events_expired", "cursor: expired");
      return true;
    };
    const receiver = await aService(responds(204));

    const setting = { feed, receiver };
    const { code, stderr } = await listenHere(setting, "--since", SINCE).ended;

    expect(code).toBe(1);
    expect(stderr.match(/Continuing from the oldest/g)).toHaveLength(1);
    expect(stderr).toContain("\nevents_expired: cursor: expired (request req-1)\n");
  });

  test.each<[string, Step, string]>([
    ["is not JSON", (response) => response.end("<html>"), "did not come from the service"],
    ["lacks members", responds(200, { data: [] }), "it has no valid member nextCursor"],
    [
      "stands still",
      responds(200, { data: [], nextCursor: "same", hasMore: true }),
      "its nextCursor is the cursor",
    ],
  ])("ends with one sentence if the service's page %s", async (_, step, reason) => {
    const feed = await aService(step);
    const setting = { feed, receiver: { baseUrl: "http://localhost:1" } };

    const { code, stderr } = await listenHere(setting, "--since", SINCE).ended;

    expect(code).toBe(1);
    expect(stderr).toMatch(/^unexpected_response: .+\n$/m);
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("ends without an error if its output is closed, and remembers what it has forwarded", async () => {
    const feed = await aFeedService(...upTo(3));
    const receiver = await aService(responds(204));
    const setting = { feed, receiver, home: await aHome() };
    const listen = startListen(setting, "--since", SINCE);
    const errors: unknown[] = [];
    listen.process.stderr?.on("data", (chunk) => errors.push(chunk));
    listen.ended.catch(() => {});
    listen.process.stdout?.destroy();

    const [code] = await once(listen.process, "close");
    await runUntil(3, setting);

    expect(code).toBe(0);
    expect(errors.join("")).toMatch(/^Starting .+\nEvents .+\nSigning secret: .+\n$/);
    expect(idsAt(receiver)).toEqual(["evt_1", "evt_2", "evt_3"]);
  });

  test("says at once, with host, port and cause, that nothing listens at the service's address", async () => {
    const address = `127.0.0.1:${await freePort("127.0.0.1")}`;
    const setting = {
      feed: { baseUrl: `http://${address}` },
      receiver: { baseUrl: "http://localhost:1" },
    };
    const listen = listenHere(setting);

    await saying(
      listen.stderr,
      `\nconnection_failed: ${address} could not be reached, or the connection was lost: connect ECONNREFUSED ${address}. Retrying until it succeeds.\n`,
    );
  });

  test("sends the user name, password and query of its receiver's URL, and prints none of them", async () => {
    const feed = await aFeedService(...upTo(1));
    const receiver = await aService(responds(204));
    const withSecrets = receiver.baseUrl.replace("http://", "http://me:s3cret@");
    const listen = commandHere([
      ...["listen", "--forward-to", `${withSecrets}/hooks?token=t0ken`],
      ...["--url", feed.baseUrl, "--key", KEY, "--since", SINCE],
    ]);
    stops.push(listen.interrupt);
    await receiver.received(1);
    listen.interrupt();
    const { stdout, stderr } = await listen.ended;

    const [request] = receiver.requests;
    expect(request?.path).toBe("/hooks?token=t0ken");
    expect(request?.headers.authorization).toBe(`Basic ${btoa("me:s3cret")}`);
    expect(stderr).toContain(
      `Events are forwarded to ${receiver.baseUrl.replace("http://", "http://***@")}/hooks?***. Press`,
    );
    for (const secret of ["s3cret", "t0ken", "me:"]) expect(stdout + stderr).not.toContain(secret);
  });

  test("prints no control characters that a service sends", async () => {
    const feed = await aFeedService(aFeedEvent(1, { candidate: "\u001b[2J\r\nforged\u009b" }));
    const receiver = await aService(responds(204));
    const setting = { feed, receiver };

    const { stdout } = await listenUntil(1, setting, "--since", SINCE);

    expect(stdout).toMatch(/^\P{Cc}*staged_\u{fffd}\[2J\u{fffd}\u{fffd}forged\u{fffd}\P{Cc}*\n$/u);
  });

  test("prints control characters with --json as escapes, so that the line has the same value", async () => {
    const candidate = "\u001b[2J\r\nforged\u007f\u009b\u2028\u202e";
    const feed = await aFeedService(aFeedEvent(1, { candidate }));
    const receiver = await aService(responds(204));
    const setting = { feed, receiver };

    const { stdout } = await listenUntil(1, setting, "--since", SINCE, "--json");

    expect(stdout).toMatch(/^[^\p{Cc}\p{Bidi_Control}\u2028]+\n$/u);
    expect(JSON.parse(stdout)).toMatchObject({ stagedId: `staged_${candidate}` });
  });

  test("shows an event that is not acknowledged, and does not repeat it", async () => {
    const feed = await aFeedService(...upTo(4));
    const receiver = await aService(
      responds(500),
      (response) => response.destroy(),
      responds(302, undefined, { Location: "/elsewhere" }),
      responds(204),
    );
    const setting = { feed, receiver };

    const { code, stdout, stderr } = await listenUntil(4, setting, "--since", SINCE);

    expect(code).toBe(0);
    expect(idsAt(receiver)).toEqual(idsOf(feed.events));
    expect(stdout.match(/ {2}(?:\d{3}|[A-Z]+) {2}\d+ ms$/gm)?.map((end) => end.trim().split(" ")[0])).toEqual(
      ["500", "ECONNRESET", "302", "204"],
    );
    expect(stderr).toContain(
      `Not acknowledged: 3. To forward events again from the first of these, add --since ${timeOf(1)}.`,
    );
  });

  test("advises the earliest time of the events that are not acknowledged, in whatever order they come", async () => {
    const feed = await aFeedService(aFeedEvent(2), aFeedEvent(1), aFeedEvent(3));
    const receiver = await aService(responds(500));

    const { stderr } = await listenUntil(3, { feed, receiver }, "--since", SINCE);

    expect(stderr).toContain(
      `Not acknowledged: 3. To forward events again from the first of these, add --since ${timeOf(1)}.`,
    );
  });

  test("shows which endpoint an event about an endpoint is about", async () => {
    const type = "webhook_endpoint.failing" as "candidate.received";
    const event = {
      ...aFeedEvent(1, { type }),
      data: { webhookEndpointId: "whe_1" },
    } as unknown as FeedEvent;
    const feed = await aFeedService(event);
    const receiver = await aService(responds(204));

    const { stdout } = await listenUntil(1, { feed, receiver }, "--since", SINCE);

    expect(stdout).toMatch(/ {2}whe_1 {2}204 {2}\d+ ms\n$/);
  });

  test("resumes at the same address with a final slash, and not with another key", async () => {
    const feed = await aFeedService(...upTo(1));
    const receiver = await aService(responds(204));
    const setting = { feed, receiver };
    await listenUntil(1, setting, "--since", SINCE);
    feed.events.push({ ...aFeedEvent(2), occurredAt: new Date().toISOString() });

    const same = await listenUntil(2, setting, "--url", `${feed.baseUrl}/`);
    const other = await listenUntil(3, setting, "--key", "rr_dev_other");

    expect(same.stderr).toMatch(/^Resuming where the last run stopped\./);
    expect(other.stderr).toMatch(/^Starting with the events since /);
  });

  test("continues from the oldest event each time that its cursor expires", async () => {
    const feed = await aFeedService(...upTo(2));
    const receiver = await aService(responds(204));
    const listen = listenHere({ feed, receiver }, "--since", SINCE);
    await receiver.received(2);
    const accepted = Promise.withResolvers<void>();
    feed.fault = (_, query) => {
      // After the response.
      if (query.get("cursor") === "at-7") setImmediate(accepted.resolve);
      return false;
    };
    feed.events.push(...upTo(5, 3));
    feed.oldest = 4;
    await accepted.promise;
    feed.events.push(...upTo(3, 8));
    feed.oldest = 9;
    await receiver.received(6);
    listen.interrupt();

    expect((await listen.ended).code).toBe(0);
    expect(idsAt(receiver)).toEqual(["evt_1", "evt_2", "evt_5", "evt_6", "evt_7", "evt_10"]);
  });

  test("continues after a receiver that breaks off its response", async () => {
    const feed = await aFeedService(...upTo(2));
    const breaksOff: Step = (response) => {
      response.writeHead(200, { "Content-Length": 10 }).write("part", () => response.destroy());
    };
    const receiver = await aService(breaksOff, responds(204));

    const { stdout } = await listenUntil(2, { feed, receiver }, "--since", SINCE);

    expect(stdout).toMatch(/ {2}staged_1 {2}200 {2}\d+ ms\n.* {2}staged_2 {2}204 {2}\d+ ms\n$/);
  });

  test("loses no event to a receiver that closes its connections without a word", async () => {
    const feed = await aFeedService(...upTo(20));
    const closes: Step = ({ socket }) => socket?.end("HTTP/1.1 204 No Content\r\n\r\n");
    const receiver = await aService(closes);

    const { stdout, stderr } = await listenUntil(20, { feed, receiver }, "--since", SINCE);

    expect(stdout.match(/ {2}204 {2}\d+ ms$/gm)).toHaveLength(20);
    expect(stderr).not.toContain("Not acknowledged");
  });

  test("continues after a receiver that switches to another protocol", async () => {
    const feed = await aFeedService(...upTo(2));
    const receiver = await aService(
      responds(101, undefined, { Connection: "Upgrade", Upgrade: "websocket" }),
      responds(204),
    );

    const { stdout } = await listenUntil(2, { feed, receiver }, "--since", SINCE);

    expect(stdout).toMatch(/ {2}staged_1 {2}101 {2}\d+ ms\n.* {2}staged_2 {2}204 {2}\d+ ms\n$/);
  });

  test("finishes the event in progress on Ctrl-C, and remembers it", async () => {
    const feed = await aFeedService(...upTo(3));
    const { promise: requested, resolve } = Promise.withResolvers<() => void>();
    const receiver = await aService((...call) => resolve(() => responds(204)(...call)), responds(204));
    const setting = { feed, receiver, home: await aHome() };

    const first = startListen(setting, "--since", SINCE);
    const respond = await requested;
    first.process.kill("SIGINT");
    await saying(first.process.stderr, "Finishing the event in progress.");
    respond();
    const { code, stdout } = await first.ended;
    await runUntil(3, setting);

    expect(code).toBe(0);
    expect(stdout).toContain("staged_1  204");
    expect(idsAt(receiver)).toEqual(["evt_1", "evt_2", "evt_3"]);
  });

  test("ends at once on Ctrl-C while no event is in progress, and mentions none", async () => {
    const feed = await aFeedService();
    const queried = Promise.withResolvers<void>();
    feed.fault = () => {
      queried.resolve();
      return false;
    };
    const receiver = await aService(responds(204));
    const listen = listenHere({ feed, receiver }, "--since", SINCE);
    await queried.promise;

    listen.interrupt();
    const { code, stderr } = await listen.ended;

    expect(code).toBe(0);
    expect(stderr).toMatch(/^Starting .+\nEvents .+\nSigning secret: .+\n\n$/);
  });

  test("stops at once on the second Ctrl-C although the receiver does not respond", async () => {
    const feed = await aFeedService(...upTo(1));
    const receiver = await aService(hangs);
    const listen = startListen({ feed, receiver, home: await aHome() }, "--since", SINCE);
    await receiver.received(1);

    listen.process.kill("SIGINT");
    await once(listen.process.stderr ?? listen.process, "data");
    const again = setInterval(() => listen.process.kill("SIGINT"), 100);
    const { code } = await listen.ended;
    clearInterval(again);

    expect(code).toBe(130);
  });
});

describe("candidates listen leaves no file", () => {
  const closed = async () => ({ baseUrl: `http://127.0.0.1:${await freePort("127.0.0.1")}` });
  const elsewhere = async () => ({ baseUrl: `${(await aFeedService()).baseUrl}/elsewhere` });
  test.each([
    ["an address that cannot be reached", "connection_failed", closed],
    ["an address without the service's paths", "does not lead to", elsewhere],
  ])("after %s", async (_, sentence, aFeed) => {
    const home = await aHome();
    const setting = { home, feed: await aFeed(), receiver: { baseUrl: "http://localhost:1" } };

    const listen = startListen(setting);
    await saying(listen.process.stderr, sentence);
    listen.process.kill("SIGINT");
    await listen.ended;

    expect(await readdir(join(home, ".candidates"))).toEqual([]);
  });
});

describe("candidates listen does not start", () => {
  let home: string;
  beforeEach(async () => {
    home = await aHome();
    vi.stubEnv("HOME", home);
  });

  const forward = ["--forward-to", "http://localhost:1/hooks"];
  const somewhere = ["--url", "http://localhost:1", "--key", KEY];

  test.each<[string, string[], RegExp]>([
    ["without a receiver", somewhere, /--forward-to/],
    ["with a receiver that is no URL", ["--forward-to", "localhost:4000"], /http or https URL/],
    ["with a receiver of another scheme", ["--forward-to", "ftp://me:s3cr3t@a.example"], /http or https URL/],
    [
      "with a password that cannot be decoded",
      ["--forward-to", "http://me:s3cr3t%off@a.example"],
      /write % in a user name or password as %25/,
    ],
    ["without an address", forward, /CANDIDATES_URL/],
    ["without a key", [...forward, "--url", "http://localhost:1"], /CANDIDATES_API_KEY/],
    ["with an unknown type", [...forward, "--types", "candidate.gone"], /candidate\.received, /],
    ["with a time that is none", [...forward, "--since", "yesterday"], /RFC 3339/],
    ...["s3cr3t-of-mine", `${SECRET}\r`].map((secret): [string, string[], RegExp] => [
      `with the secret ${JSON.stringify(secret)}`,
      [...forward, ...somewhere, "--secret", secret],
      /^--secret or CANDIDATES_SIGNING_SECRET: .* without spaces or line ends\.\n$/,
    ]),
  ])("%s: exits with 2 and says what to do", async (_, args, message) => {
    const home = await aHome();

    const { code, stdout, stderr } = await startCommand(["listen", ...args], { env: { HOME: home } }).ended;

    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain("s3cr3t");
    expect(stdout).toBe("");
    expect(await readdir(home)).toEqual([]);
  });

  test("while another run has the same position: exits with 1, and neither starts nor forwards an event", async () => {
    const feed = await aFeedService(...upTo(1));
    const receiver = await aService(responds(204));
    const first = startListen({ feed, receiver, home }, "--since", SINCE);
    await receiver.received(1);

    const { code, stderr } = await listenHere({ feed, receiver }, "--since", SINCE).ended;

    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^Another .* is running \\(process ${first.process.pid}\\)`));
    expect(receiver.requests).toHaveLength(1);
    first.process.kill("SIGINT");
    await first.ended;
    expect((await readdir(join(home, ".candidates"))).filter((name) => name.endsWith(".lock"))).toEqual([]);
  });

  test("with a folder in which it cannot record its position: exits with 1, before it forwards an event", async () => {
    await writeFile(join(home, ".candidates"), "");
    const feed = await aFeedService(...upTo(1));
    const receiver = await aService(responds(204));

    const { code, stderr } = await listenHere({ feed, receiver }, "--since", SINCE).ended;

    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^.+\.json cannot be written \(\w+\)\. It records what was forwarded\. Make it and its folder writable\.\n$/,
    );
    expect([feed.queries, receiver.requests]).toEqual([[], []]);
  });

  test("at an address without the service's paths: exits with 1 and shows the address", async () => {
    const feed = await aFeedService();
    const url = `${feed.baseUrl}/elsewhere`;
    const setting = {
      feed: { baseUrl: url },
      receiver: { baseUrl: "http://localhost:1" },
    };

    const { code, stderr } = await listenHere(setting).ended;

    expect(code).toBe(1);
    expect(stderr).toContain(
      `\n${url} does not lead to the service's paths (status code 404, request req-1).`,
    );
    expect(stderr).toContain("Give the base address of the environment, such as https://api.example.com;");
  });

  test("with a key that the service refuses: exits with 1 and says why", async () => {
    const feed = await aFeedService();
    feed.fault = (response) => {
      refuse(response, 401, "unauthorized", "Send a valid key.");
      return true;
    };

    const { code, stderr } = await listenHere({
      feed,
      receiver: { baseUrl: "http://localhost:1" },
    }).ended;

    expect(code).toBe(1);
    expect(stderr).toContain("unauthorized: Send a valid key. (request req-1)");
  });
});
