import { describe, expect, test } from "vitest";
import type { CandidateServiceClient as Client } from "../../client/src/index.ts";
import { aClientOf, created, record, retryWithoutBackoff } from "./scripted-client.ts";

retryWithoutBackoff();

describe("the client", () => {
  test.each(["", ".", ".."])("refuses the id %j, which would make the path another one", async (id) => {
    const { client, requests } = await aClientOf([]);

    await expect(client.getWebhookEndpoint(id)).rejects.toThrow(TypeError);
    await expect(client.getRecovery("whe_1", id)).rejects.toThrow(/^recoveryId: a text .* is expected$/);
    expect(requests).toEqual([]);
  });

  const noText = (name: string) => `${name}: a text of at least one character is expected`;
  test.each([undefined, null, "", 7, {}, ["ext-1"]])(
    "sends no request for %j instead of a text",
    async (value) => {
      const { client, requests } = await aClientOf([record]);
      const given = value as never;
      const calls: [string, () => Promise<unknown>][] = [
        ["externalId", () => client.findCandidate(given)],
        ["id", () => client.getCandidate(given)],
        ["eventId", () => client.resendWebhookDelivery("whe_1", given)],
        ["transition", () => client.applySandboxTransition("staged_1", given)],
      ];

      for (const [name, call] of calls) await expect(call()).rejects.toThrow(new TypeError(noText(name)));
      expect(requests).toEqual([]);
    },
  );

  const odd = { not: "a text" };
  test.each<[string, (client: Client) => Promise<unknown>]>([
    [noText("eventType"), (client) => client.testWebhookEndpoint("whe_1", { eventType: odd as never })],
    [
      "candidates: a list of candidates is expected",
      (client) => client.createCandidateBatch("ext-1" as never),
    ],
    [
      "candidates: a list of candidates is expected",
      (client) => client.createCandidateBatch([null as never]),
    ],
    ...[undefined, null, "", 7, '"v1é"'].map((ifMatch): [string, (client: Client) => Promise<unknown>] => [
      "ifMatch: the etag of a record is expected; omit it to amend any version",
      (client) => client.amendCandidate("staged_1", {}, { ifMatch: ifMatch as never }),
    ]),
    [
      "options: this call has no option ifmatch",
      (client) => client.amendCandidate("staged_1", {}, { ifmatch: '"v1"' } as never),
    ],
    [
      "options: this call has no option path",
      (client) => client.getCandidate("staged_1", { path: "/v1/candidates/staged_2" } as never),
    ],
    ["options: an object is expected", (client) => client.getCandidate("staged_1", null as never)],
    ["options: an object is expected", (client) => client.amendCandidate("staged_1", {}, null as never)],
    ["options: an object is expected", (client) => client.testWebhookEndpoint("whe_1", null as never)],
    ["options: an object is expected", (client) => Array.fromAsync(client.events({}, null as never))],
    ["options: an object is expected", (client) => client.reconcile([], {}, null as never)],
    [
      "options: pass the signal as { signal }",
      (client) => client.testWebhookEndpoint("whe_1", AbortSignal.timeout(1_000) as never),
    ],
    [
      "options: pass the signal as { signal }",
      (client) => client.listWebhookEndpoints(AbortSignal.timeout(1_000) as never),
    ],
    [
      "options: this call has no option abort",
      (client) => Array.fromAsync(client.events({}, { abort: new AbortController().signal } as never)),
    ],
    [
      "signal: an AbortSignal is expected",
      (client) => client.getCandidate("staged_1", { signal: new AbortController() as never }),
    ],
    ["id: half of a surrogate pair cannot be sent", (client) => client.getCandidate("\ud83d")],
    ...[undefined, "", 1_795_338_000, new Date("never")].map(
      (since): [string, (client: Client) => Promise<unknown>] => [
        "since: an RFC 3339 date-time or a valid Date is expected",
        (client) => client.startRecovery("whe_1", { since: since as never }),
      ],
    ),
    [
      "until: an RFC 3339 date-time or a valid Date is expected",
      (client) => client.startRecovery("whe_1", { since: new Date(0), until: new Date("never") }),
    ],
    ["query: an object is expected", (client) => client.listWebhookDeliveries("whe_1", "failed" as never)],
    [
      "status: a status is expected",
      (client) => client.listWebhookDeliveries("whe_1", { status: odd as never }),
    ],
    [
      "cursor: the nextCursor of an earlier page is expected",
      (client) => client.listWebhookDeliveries("whe_1", { cursor: null as never }),
    ],
    [
      "query: it has no member cursor; expected are status, limit",
      (client) => Array.fromAsync(client.eachWebhookDelivery("whe_1", { cursor: "a=" } as never)),
    ],
  ])("sends no request with a wrong argument: %s", async (message, call) => {
    const { client, requests } = await aClientOf([record]);

    await expect(call(client)).rejects.toThrow(new TypeError(message));
    expect(requests).toEqual([]);
  });

  const circular = (body: object) => Object.assign(body, { itself: body });
  const failing = () => {
    throw new Error("ada@example.com");
  };
  test.each<[string, unknown, string]>([
    ["refers to itself", circular({}), "it contains an object that refers to itself"],
    ["contains a BigInt", { skills: [1n] }, "it contains a BigInt; pass a number or a text instead"],
    ...[Number.NaN, Infinity, -Infinity].map((width): [string, unknown, string] => [
      `contains ${width}`,
      { media: [{ kind: "audio", width }] },
      "it contains NaN or Infinity, which JSON would send as null",
    ]),
    ["has a toJSON that fails", { toJSON: failing }, "see the cause"],
  ])("sends no request if the body %s", async (_, body, fault) => {
    const { client, requests } = await aClientOf([created]);

    const error = await client.createCandidate(body as never).catch((thrown: unknown) => thrown);

    expect(error).toEqual(new TypeError(`body: it cannot be converted to JSON: ${fault}`));
    expect(error).toMatchObject({ cause: expect.any(Error) });
    expect(requests).toEqual([]);
  });

  test.each([undefined, null, "text", 1, []])(
    "sends no request if the body is no object: %j",
    async (body) => {
      const { client, requests } = await aClientOf([created]);

      const given = body as never;
      const calls = [
        () => client.createCandidate(given),
        () => client.createWebhookEndpoint(given),
        () => client.amendCandidate("staged_1", given),
        () => client.requestErasure("staged_1", given),
        () => client.startRecovery("whe_1", given),
      ];
      for (const call of calls) {
        await expect(call()).rejects.toThrow(new TypeError("body: an object is expected"));
      }
      expect(requests).toEqual([]);
    },
  );
});
