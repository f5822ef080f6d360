import { request } from "node:http";
import { join } from "node:path";
import { beforeAll, expect, inject, onTestFinished, test } from "vitest";
import { signatureOf } from "#webhooks/endpoints/signature";
import { KnownSecrets } from "../../local/console/known-secrets.ts";
import type { CandidateView, DeliveryRow, EventRow, Opened, Screen } from "../../local/console/page-data.ts";
import { aSubmission, documentsOf } from "../builders/submission.ts";
import { callerWith, received } from "./client.ts";
import { advance, anOrganisation } from "./platform.ts";
import { aReceiver } from "./receiver.ts";
import { registered, webhookEndpointsOf } from "./webhook-client.ts";

const consoleUrl = `${inject("baseUrl")}/console`;

// The first page has the whole table read: with all that the other files have stored, at their busiest.
beforeAll(async () => {
  const closed = new AbortController();
  const viewer = await aViewer("any", {}, closed.signal);
  await viewer.see(({ isReading }) => !isReading || undefined);
  closed.abort();
});

/** An open page of the console. */
interface Viewer {
  /** The selected part of what the page shows, once there is one. */
  see<Part>(select: (screen: Screen) => Part | undefined): Promise<Part>;
}

/** @param query what the page's URL contains beside the organisation */
async function aViewer(
  orgId: string,
  query: Readonly<Record<string, string>> = {},
  signal = whileTheTestRuns(),
): Promise<Viewer> {
  const search = new URLSearchParams({ org: orgId, ...query });
  const { body } = await fetch(`${consoleUrl}/stream?${search}`, { signal });
  const waiting = new Set<() => void>();
  let last: Screen | undefined;
  const take = (message: string) => {
    last = JSON.parse(message.slice("data: ".length));
    for (const check of waiting) check();
  };
  const reading = (async () => {
    let text = "";
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const messages = (text + chunk).split("\n\n");
      text = messages.pop() ?? "";
      messages.forEach(take);
    }
  })();
  reading.catch(() => {});
  return {
    see: (select) =>
      new Promise((resolve) => {
        const check = () => {
          const part = last && select(last);
          if (part === undefined) return;
          waiting.delete(check);
          resolve(part);
        };
        waiting.add(check);
        check();
      }),
  };
}

/** A concurrent test gives the `onTestFinished` of its own. */
function whileTheTestRuns(whenFinished: (close: () => void) => void = onTestFinished): AbortSignal {
  const closed = new AbortController();
  whenFinished(() => closed.abort());
  return closed.signal;
}

const candidateWhere = (matches: (candidate: CandidateView) => boolean) => (screen: Screen) =>
  screen.lists.candidates?.items.find(matches);
const eventWhere = (matches: (event: EventRow) => boolean) => (screen: Screen) =>
  screen.lists.events?.items.find(matches);
const deliveryWhere = (matches: (delivery: DeliveryRow) => boolean) => (screen: Screen) =>
  screen.lists.deliveries?.items.find(matches);
const receivedBy = (name: string) => (screen: Screen) =>
  screen.lists.received?.items.find(({ inbox }) => inbox === name);

/** Since when an active endpoint has missed events. */
const missedBy =
  (id: string) =>
  ({ endpoints }: Screen) =>
    endpoints.find(({ key, active }) => key === id && active)?.missedSince ?? undefined;

/** What is shown of an item that is opened. */
async function opened<Kind extends Opened["kind"]>(orgId: string, id: string, kind: Kind) {
  const viewer = await aViewer(orgId, { open: id });
  return viewer.see(({ opened: item }) =>
    item?.kind === kind ? (item as Extract<Opened, { kind: Kind }>) : undefined,
  );
}

async function press(action: string, input: object): Promise<{ status: number; message: string }> {
  const response = await fetch(`${consoleUrl}/actions/${action}`, {
    method: "POST",
    body: JSON.stringify(input),
  });
  const { message } = (await response.json()) as { message: string };
  return { status: response.status, message };
}

test("The console page shows the state of all candidates and none of their personal data", async () => {
  const { orgId, caller } = await anOrganisation();
  const before = aSubmission({ lastName: "Unseen-Before" });
  const stagedId = await received(caller, before);

  const viewer = await aViewer(orgId);
  const shown = await viewer.see(candidateWhere((candidate) => candidate.stagedId === stagedId));
  await advance(orgId, stagedId, "verify");
  const verified = await viewer.see(
    candidateWhere((candidate) => candidate.stagedId === stagedId && candidate.status === "verified"),
  );
  const event = await viewer.see(
    eventWhere((each) => each.subject === stagedId && each.type === "candidate.verified"),
  );

  expect(shown).toMatchObject({ orgId, externalId: before.externalId, status: "received" });
  expect(verified.actions).toEqual(["promote", "fail-validation", "revoke-consent", "erase", "score"]);
  expect(event).toMatchObject({ orgId, sequence: 2 });
  await advance(orgId, stagedId, "revoke-consent");
  const frozen = await viewer.see(candidateWhere(({ status }) => status === "consent_revoked"));
  expect(frozen.actions).toEqual(["erase"]);
  const everything = await viewer.see((screen) => JSON.stringify(screen));
  const details = await opened(orgId, stagedId, "candidate");
  expect(everything + JSON.stringify(details)).not.toContain("Unseen-Before");
});

test("The console shows the health of an endpoint, and the event that the service disabled it", async () => {
  const { orgId, caller } = await anOrganisation();
  const receiver = await aReceiver((response) => response.writeHead(410).end());
  const { id } = await registered(caller, receiver.url);
  const viewer = await aViewer(orgId);

  await received(caller, aSubmission());
  const endpoint = await viewer.see(({ endpoints }) =>
    endpoints.find(({ key, active }) => key === id && !active),
  );
  const event = await viewer.see(eventWhere(({ subject }) => subject === id));

  expect(endpoint).toMatchObject({
    disabledAt: expect.any(String),
    disabledReason: "gone",
    failingSince: null,
    lastSuccessAt: null,
  });
  expect(event).toMatchObject({ orgId, type: "webhook_endpoint.disabled", sequence: null });
});

test("The console shows what an opened endpoint is subscribed to, and its description, but not in the lists", async () => {
  const { orgId, caller } = await anOrganisation();
  const receiver = await aReceiver();
  const { id } = await registered(caller, receiver.url, ["candidate.promoted", "candidate.erased"]);
  const endpoints = webhookEndpointsOf(caller);
  await endpoints.update(id, { description: "Payroll" });

  const viewer = await aViewer(orgId, { open: id });
  const described = (description: string | null) =>
    viewer.see(({ opened: item }) =>
      item?.kind === "endpoint" && item.endpoint.description === description ? item.endpoint : undefined,
    );
  const { eventTypes } = await described("Payroll");
  expect(eventTypes).toEqual(["candidate.promoted", "candidate.erased"]);
  await endpoints.update(id, { description: null });
  await described(null);

  const row = await viewer.see((screen) => screen.endpoints.find(({ key }) => key === id));
  expect(row).not.toHaveProperty("eventTypes");
  expect(row).not.toHaveProperty("description");
});

test("the console shows when an event is in the event feed", async () => {
  const { orgId, caller } = await anOrganisation();
  const viewer = await aViewer(orgId);

  const stagedId = await received(caller, aSubmission());
  const event = await viewer.see(
    eventWhere(({ subject, inFeedSince }) => subject === stagedId && inFeedSince !== null),
  );

  expect(event).toMatchObject({ type: "candidate.received", sequence: 1, sample: false });
  expect(Date.parse(String(event.inFeedSince))).toBeGreaterThanOrEqual(Date.parse(event.occurredAt));
});

test("The console shows a large candidate whatever happens to its parts", async () => {
  const { orgId, caller } = await anOrganisation();
  const viewer = await aViewer(orgId);

  const stagedId = await received(caller, aSubmission({ documents: documentsOf(400_000) }));
  await caller.amendCandidate(stagedId, { documents: [] });
  // The stream is in order: whoever comes next is shown after the parts have gone.
  const next = await received(caller, aSubmission());
  await viewer.see(candidateWhere((candidate) => candidate.stagedId === next));

  const shown = await viewer.see(({ lists }) => lists.candidates?.items);
  expect(shown).toMatchObject([
    { stagedId: next, status: "received" },
    { stagedId, status: "received" },
  ]);
});

test("A console button advances a candidate, and says why if its state does not allow it", async () => {
  const { orgId, caller } = await anOrganisation();
  const handle = await received(caller, aSubmission());
  const promote = () => press("advance-candidate", { orgId, handle, transition: "promote" });

  const promoted = await promote();
  const again = await promote();
  const refused = await press("advance-candidate", {
    ...{ orgId, handle, transition: "fail-validation" },
    reasons: [{ code: "late", message: "Too late." }],
  });

  expect(promoted).toEqual({ status: 200, message: "Done." });
  expect(again).toEqual({
    status: 200,
    message: "Nothing changed: the candidate was already in this state.",
  });
  expect(refused).toEqual({ status: 409, message: expect.stringContaining("promoted") });
  expect((await caller.getCandidate(handle)).body["status"]).toBe("promoted");
});

test.each([
  ["create-candidate", "{", "The body is not JSON."],
  ["create-candidate", "null", "The body: an object is expected"],
  ["register-inbox", "{}", expect.stringMatching(/^orgId: .+ is required$/)],
  [
    "set-inbox-response",
    '{"inbox":"a","response":"201"}',
    "response: one of 200, 429, 500, 410, hang is expected",
  ],
  ["set-inbox-response", '{"inbox":"never-used","response":"500"}', "There is no such inbox."],
])(
  "A console action says in a sentence what is wrong with its body: %s %s",
  async (action, body, message) => {
    const response = await fetch(`${consoleUrl}/actions/${action}`, { method: "POST", body });

    expect(response.status).toBe(409);
    expect(await response.json()).toEqual({ message });
  },
);

test("The console's inbox receives deliveries, shown from both sides with the signature verified", async () => {
  const { orgId } = await anOrganisation();
  const viewer = await aViewer(orgId);

  expect(await press("register-inbox", { orgId })).toMatchObject({ status: 200 });
  expect(await press("create-candidate", { orgId })).toMatchObject({ status: 200 });
  const { key, signature } = await viewer.see(deliveryWhere(({ status }) => status === "delivered"));
  const row = await viewer.see(receivedBy(orgId));
  const { attempts } = await opened(orgId, key, "delivery");
  const { received: arrived } = await opened(orgId, row.key, "received");

  expect(attempts).toMatchObject([{ attempt: 1, statusCode: 200, request: { signature: "verified" } }]);
  expect([signature, row.signature, arrived.signature]).toEqual(["verified", "verified", "verified"]);
  const sent = attempts[0]?.request;
  expect(sent?.body).toBe(arrived.body);
  const lowerCased = (headers: readonly (readonly [string, string])[] = []) =>
    headers.map(([name, value]) => [name.toLowerCase(), value]);
  expect(lowerCased(sent?.headers)).toEqual(lowerCased(arrived.headers));
  expect(await press("register-inbox", { orgId })).toEqual({
    status: 200,
    message: "The inbox is already registered.",
  });
});

test("The console registers an inbox once, whether asked twice at a time or after another endpoint with its URL", async () => {
  const { orgId, caller } = await anOrganisation();
  const endpoints = webhookEndpointsOf(caller);
  const endpointsNow = async () => (await endpoints.list()).body["data"] as { id: string }[];
  const register = () => press("register-inbox", { orgId });

  const responses = await Promise.all([register(), register()]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  const [inbox, ...others] = await endpointsNow();
  expect(others).toEqual([]);

  await endpoints.delete(inbox?.id ?? "");
  const { id } = await registered(caller, `${consoleUrl}/inbox/${orgId}`);
  expect(await register()).toEqual({
    status: 409,
    message: `The endpoint ${id} already has the inbox's URL, and the console has no secret to verify its deliveries. Delete it first.`,
  });
  expect(await endpointsNow()).toMatchObject([{ id }]);
});

test("The console gives its endpoint the inbox's URL again, as after a start with another port", async () => {
  const { orgId, caller } = await anOrganisation();
  const viewer = await aViewer(orgId);
  await press("register-inbox", { orgId });
  const { key, url } = await viewer.see(({ endpoints }) => endpoints.find(({ inbox }) => inbox === orgId));
  await webhookEndpointsOf(caller).update(key, { url: url.replace(/:\d+/, ":1024") });

  expect(await press("register-inbox", { orgId })).toMatchObject({ status: 200 });

  const { body } = await webhookEndpointsOf(caller).list();
  expect(body["data"]).toMatchObject([{ id: key, url, active: true }]);
});

test("The console shows deliveries to a developer's own endpoint as sent, without verification", async () => {
  const { orgId, caller } = await anOrganisation();
  const receiver = await aReceiver();
  await registered(caller, receiver.url);
  const viewer = await aViewer(orgId);

  await received(caller, aSubmission());
  const { key } = await viewer.see(deliveryWhere(({ status }) => status === "delivered"));
  const { attempts } = await opened(orgId, key, "delivery");

  const [arrived] = receiver.deliveries;
  const request = attempts[0]?.request;
  expect(request).toMatchObject({ url: receiver.url, body: arrived?.body, signature: "secret unknown" });
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    "X-RR-Signature": arrived?.headers["x-rr-signature"],
  });
});

test("The console's inbox responds as chosen, and a refused delivery is shown waiting for its retry", async () => {
  const { orgId } = await anOrganisation();
  const viewer = await aViewer(orgId);
  await press("register-inbox", { orgId });
  await press("set-inbox-response", { inbox: orgId, response: "500" });

  await press("create-candidate", { orgId });
  const delivery = await viewer.see(deliveryWhere(({ attempts }) => attempts > 0));
  expect(delivery).toMatchObject({ status: "pending", nextAttemptAt: expect.any(String) });
  const { attempts } = await opened(orgId, delivery.key, "delivery");
  expect(attempts).toMatchObject([{ statusCode: 500, request: { signature: "verified" } }]);

  await press("set-inbox-response", { inbox: orgId, response: "429" });
  const response = await fetch(`${consoleUrl}/inbox/${orgId}`, { method: "POST", body: "{}" });
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "10"]);
});

test.concurrent("Console buttons reactivate an inbox that responded with 410, and recover the events that it missed", async ({
  expect,
  onTestFinished,
}) => {
  const { orgId } = await anOrganisation();
  const viewer = await aViewer(orgId, {}, whileTheTestRuns(onTestFinished));
  await press("register-inbox", { orgId });
  await press("set-inbox-response", { inbox: orgId, response: "410" });
  await press("create-candidate", { orgId });
  const { key } = await viewer.see(({ endpoints }) => endpoints.find(({ active }) => !active));

  const again = await press("register-inbox", { orgId });

  expect(again).toEqual({
    status: 200,
    message: "The inbox is active again. Recover the events that it missed.",
  });
  await viewer.see(({ endpoints }) => endpoints.find((endpoint) => endpoint.key === key && endpoint.active));
  await viewer.see(({ inboxes }) => inboxes.find((inbox) => inbox.key === orgId && inbox.response === "200"));
  await viewer.see(missedBy(key));
  expect(await press("recover-missed", { orgId, endpointId: key })).toEqual({
    status: 200,
    message: expect.stringMatching(
      /^The endpoint gets the events since \d{4}-\S+Z that it has not acknowledged\.$/,
    ),
  });
  await viewer.see(({ lists }) =>
    lists.received?.items.find(({ inbox, response }) => inbox === orgId && response === "200"),
  );
  await viewer.see(({ endpoints }) => endpoints.find(({ missedSince }) => missedSince === null));
});

test.concurrent("The console shows since when a developer's own endpoint has missed events, until they are recovered", async ({
  expect,
  onTestFinished,
}) => {
  const { orgId, caller } = await anOrganisation();
  const receiver = await aReceiver(undefined, onTestFinished);
  const { id } = await registered(caller, receiver.url);
  const viewer = await aViewer(orgId, {}, whileTheTestRuns(onTestFinished));
  const endpoints = webhookEndpointsOf(caller);
  const recoverMissed = () => press("recover-missed", { orgId, endpointId: id });

  expect(await recoverMissed()).toEqual({ status: 200, message: "The endpoint has missed no events." });
  const before = new Date().toISOString();
  await endpoints.update(id, { active: false });
  const stagedId = await received(caller, aSubmission());
  await viewer.see(eventWhere(({ subject, inFeedSince }) => subject === stagedId && inFeedSince !== null));
  expect(await recoverMissed()).toMatchObject({ status: 409, message: expect.stringContaining("inactive") });
  await endpoints.update(id, { active: true });
  const missedSince = await viewer.see(missedBy(id));
  expect(await recoverMissed()).toMatchObject({ status: 200 });

  const [delivery] = await receiver.waitFor(1);
  expect(delivery?.event.data["stagedId"]).toBe(stagedId);
  expect(missedSince >= before && missedSince <= new Date().toISOString()).toBe(true);
  const recovered = await viewer.see(({ endpoints: shown }) =>
    shown.find((each) => each.missedSince === null),
  );
  expect(recovered).toMatchObject({ key: id, active: true });
});

test("A console button sends a delivery again, and says why if that is not possible", async () => {
  const { orgId, caller } = await anOrganisation();
  const receiver = await aReceiver();
  const { id: endpointId } = await registered(caller, receiver.url);
  const viewer = await aViewer(orgId);
  await received(caller, aSubmission());
  const { eventId } = await viewer.see(deliveryWhere(({ status }) => status === "delivered"));
  const sendAgain = () => press("redeliver-event", { orgId, endpointId, eventId });

  const again = await sendAgain();
  const twice = await receiver.waitFor(2);
  await viewer.see(deliveryWhere(({ attempts }) => attempts === 2));
  await webhookEndpointsOf(caller).update(endpointId, { active: false });
  const refused = await sendAgain();

  expect(again).toEqual({ status: 200, message: "The delivery is sent again, from its first attempt." });
  expect(twice.map(({ event }) => event.id)).toEqual([eventId, eventId]);
  expect(refused).toEqual({ status: 409, message: expect.stringContaining("inactive") });
});

test("The console's inbox distinguishes genuine, forged and foreign signatures", async () => {
  const { orgId } = await anOrganisation();
  const viewer = await aViewer(orgId);
  await press("register-inbox", { orgId });
  const post = (inbox: string, signature?: string) =>
    fetch(`${consoleUrl}/inbox/${inbox}`, {
      method: "POST",
      body: `{"to":"${inbox}"}`,
      headers: signature ? { "X-RR-Signature": signature } : {},
    });

  await post(orgId, signatureOf(`{"to":"${orgId}"}`, "whsec_forged"));
  expect((await viewer.see(receivedBy(orgId))).signature).toBe("wrong");
  await post(`${orgId}-other`, signatureOf("{}", "whsec_other"));
  expect((await viewer.see(receivedBy(`${orgId}-other`))).signature).toBe("secret unknown");
  await post(`${orgId}-bare`);
  expect((await viewer.see(receivedBy(`${orgId}-bare`))).signature).toBe("missing");
});

test("The console verifies deliveries to its inbox after rotations of the secret, and those before", async () => {
  const { orgId, caller } = await anOrganisation();
  const viewer = await aViewer(orgId);
  await press("register-inbox", { orgId });
  const { key } = await viewer.see(({ endpoints }) => endpoints.find(({ inbox }) => inbox === orgId));
  const endpoints = webhookEndpointsOf(caller);
  await endpoints.test(key);
  await viewer.see(deliveryWhere(({ signature }) => signature === "verified"));

  // The second rotation revokes the first secret at once.
  for (const _ of [1, 2]) expect((await endpoints.rotateSecret(key)).status).toBe(200);
  await endpoints.test(key);

  const signatures = await viewer.see(({ lists }: Screen) => {
    const requests = lists.received?.items.filter(({ inbox }) => inbox === orgId) ?? [];
    const shown = [...(lists.deliveries?.items ?? []), ...requests].map(({ signature }) => signature);
    return shown.length === 4 && !shown.includes(null) ? shown : undefined;
  });
  expect(signatures).toEqual(["verified", "verified", "verified", "verified"]);
  const kept = new KnownSecrets(join(inject("dataDir"), "console.json"));
  expect(kept.ofEndpoint(key)).toHaveLength(3);
});

test.for([
  ["a name that another site has rebound to this machine", "POST", { host: "evil.example:3000" }],
  ["another site's page", "POST", { origin: "https://evil.example" }],
  ["a page of another port of this machine", "POST", { origin: "http://127.0.0.1:1" }],
  ["a page without an origin", "POST", { origin: "null" }],
  ["another site's script", "POST", { "sec-fetch-site": "cross-site" }],
  ["a rebound name that reads", "GET", { host: "evil.example:3000" }],
] as const)("The console refuses %s", async ([, method, headers]) => {
  const { orgId } = await anOrganisation();
  const path = method === "GET" ? "stream" : "actions/create-candidate";

  const status = await new Promise((resolve, reject) => {
    request(`${consoleUrl}/${path}`, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end(method === "POST" ? JSON.stringify({ orgId }) : undefined);
  });

  expect(status).toBe(403);
  const viewer = await aViewer(orgId);
  expect(await viewer.see(({ lists }) => lists.candidates?.items)).toEqual([]);
});

test("The console gives a working key to the documentation's pages, but not to pages of other sites", async () => {
  const keys = await fetch(`${consoleUrl}/keys`, { headers: { "Sec-Fetch-Site": "same-origin" } });
  const { organisations } = (await keys.json()) as { organisations: { apiKey: string }[] };

  const { status } = await callerWith(organisations[0]?.apiKey ?? "").findCandidate("nobody-of-that-id");
  expect(status).toBe(404);
  for (const site of ["cross-site", "same-site"]) {
    const refused = await fetch(`${consoleUrl}/keys`, { headers: { "Sec-Fetch-Site": site } });
    expect(refused.status).toBe(403);
    expect(await refused.text()).not.toContain("rr_dev_");
  }
});

test("The console responds to a method that it does not support with the supported ones", async () => {
  const { status, headers } = await fetch(consoleUrl, { method: "DELETE" });

  expect([status, headers.get("allow")]).toEqual([405, "GET, POST"]);
});

test("The console page runs only its own scripts and cannot be framed", async () => {
  const page = await fetch(consoleUrl);

  expect(page.headers.get("content-security-policy")).toMatch(
    /default-src 'none'; script-src 'self';.*frame-ancestors 'none'/,
  );
  expect(page.headers.get("cross-origin-resource-policy")).toBe("same-origin");
  expect(await page.text()).toContain('src="/console/page.js"');
});
