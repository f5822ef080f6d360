import { Readable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { generateApiKey, hashOf, keyIdOf } from "#api-keys/api-key";
import { EVENT_TYPES } from "#contract/events";
import { EnvironmentName } from "#runtime/environment";
import { onPrivateFunctions } from "./running-command.ts";

const ENDPOINT = ["--org", "acme", "--endpoint", `whe_${"0".repeat(26)}`];
const CANDIDATE = ["--org", "acme", "--id", `staged_${"0".repeat(26)}`];

/** What the command prints of this response of a private function. */
async function printed(args: readonly string[], response: unknown): Promise<string> {
  const { code, stdout, stderr } = await onPrivateFunctions(args, () => JSON.stringify(response));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** The rows of a printed table: each cell by its heading. */
function rowsOf(table: string): Record<string, string>[] {
  const [head = [], ...rows] = table
    .split("\n")
    .filter((line) => line.startsWith("│"))
    .map((line) =>
      line
        .split("│")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ""])));
}

/** The lines of printed details: each value by its name. */
function detailsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split("\n").flatMap((line) => {
      const [, name, value = ""] = /^(\S.*?) {2,}(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
}

test("keys are listed with when each was created, expires, was revoked and was last used", async () => {
  const old = {
    keyId: "key_1",
    orgId: "acme",
    name: "leaked",
    createdAt: "2026-01-01",
    expiresAt: "2027-02-02",
    revokedAt: "2026-03-03",
    lastUsedAt: "2026-04-04",
  };
  const data = [old, { keyId: "key_2", orgId: "acme", name: "sync", createdAt: "2026-05-05" }];

  expect(rowsOf(await printed(["keys", "list", "--org", "acme"], { data }))).toEqual([
    {
      "Key id": "key_1",
      Name: "leaked",
      Created: "2026-01-01",
      Expires: "2027-02-02",
      Revoked: "2026-03-03",
      "Last used (to the hour)": "2026-04-04",
    },
    {
      "Key id": "key_2",
      Name: "sync",
      Created: "2026-05-05",
      Expires: "never",
      Revoked: "",
      "Last used (to the hour)": "never",
    },
  ]);
});

test.each([
  ["2027-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  [undefined, "never"],
])(
  "a key that is created is shown with its id, its name and when it expires: %s",
  async (expiresAt, shown) => {
    const key = { keyId: "key_1", orgId: "acme", name: "sync", createdAt: "", expiresAt, apiKey: "rr_dev_x" };

    const output = await printed(["keys", "create", "--org", "acme", "--name", "sync"], key);

    expect(output).toBe(
      `Key key_1 of acme, named sync, expires ${shown}.\nStore it now: it is not shown again.\n\nrr_dev_x\n`,
    );
  },
);

test("a key that is revoked is shown with its organisation and the time", async () => {
  const keyId = `key_${"0".repeat(26)}`;
  const key = { keyId, orgId: "acme", name: "sync", createdAt: "", revokedAt: "2026-03-03" };

  expect(await printed(["keys", "revoke", "--key", keyId], key)).toBe(
    `Key ${keyId} of acme was revoked at 2026-03-03.\n`,
  );
});

test.each(EnvironmentName.options)("a leaked key of %s is identified", async (environment) => {
  const key = generateApiKey(environment);
  const stdin = vi
    .spyOn(process, "stdin", "get")
    .mockReturnValue(Readable.from([key]) as typeof process.stdin);
  onTestFinished(() => stdin.mockRestore());

  expect(await printed(["keys", "identify"], {})).toBe(
    `The key has the id ${keyIdOf(hashOf(key))}, in ${environment} if it was issued.\n`,
  );
});

test("dead letters are listed with their queue, event, organisation and endpoint", async () => {
  const unknown = { eventId: null, eventType: null, endpointId: null, orgId: null };
  const known = { eventId: "evt_1", eventType: "candidate.erased", endpointId: "whe_1", orgId: "acme" };
  const data = [
    { queue: "deliveries", ...known },
    { queue: "deliveries", ...unknown },
    { queue: "events", ...unknown },
  ];

  expect(rowsOf(await printed(["dead-letters", "list"], { data }))).toEqual([
    {
      Queue: "deliveries",
      Event: "evt_1",
      Type: "candidate.erased",
      Organisation: "acme",
      Endpoint: "whe_1",
    },
    { Queue: "deliveries", Event: "unreadable", Type: "", Organisation: "", Endpoint: "" },
    { Queue: "events", Event: "", Type: "", Organisation: "", Endpoint: "" },
  ]);
  expect(await printed(["dead-letters", "list"], { data: [] })).toBe("There are no dead letters.\n");
});

test("deliveries are listed with their reason, their last attempt and the next one", async () => {
  const delivery = { orgId: "acme", endpointId: "whe_1", eventId: "evt_1", eventType: "candidate.received" };
  const attempt = (number: number, outcome: object) => ({
    attempt: number,
    at: `2026-01-0${number}T00:00:00.000Z`,
    durationMs: 1,
    ...outcome,
  });
  const attempts = [attempt(1, { statusCode: 500 }), attempt(2, { statusCode: 503 })];
  const data = [
    { ...delivery, status: "pending", attempts, nextAttemptAt: "2026-01-03T00:00:00.000Z" },
    { ...delivery, status: "failed", attempts: [...attempts, attempt(3, { failure: "timeout" })] },
    { ...delivery, status: "dropped", reason: "candidate_erased", attempts: [] },
  ];
  const event = { Event: "evt_1", Type: "candidate.received" };

  expect(rowsOf(await printed(["deliveries", "list", ...ENDPOINT], { data }))).toEqual([
    {
      ...event,
      Status: "pending",
      Attempts: "2",
      "Last response": "503",
      "Last attempt": "2026-01-02T00:00:00.000Z",
      "Next attempt": "2026-01-03T00:00:00.000Z",
    },
    {
      ...event,
      Status: "failed",
      Attempts: "3",
      "Last response": "timeout",
      "Last attempt": "2026-01-03T00:00:00.000Z",
      "Next attempt": "",
    },
    {
      ...event,
      Status: "dropped: candidate_erased",
      Attempts: "0",
      "Last response": "",
      "Last attempt": "",
      "Next attempt": "",
    },
  ]);
  expect(await printed(["deliveries", "list", ...ENDPOINT], { data: [] })).toBe(
    "There are no deliveries. Check --org and --endpoint if there should be.\n",
  );
});

const RECOVERY = {
  id: "rec_1",
  status: "running",
  found: 7,
  sent: 5,
  since: "2026-01-01T00:00:00.000Z",
  until: "2026-01-02T00:00:00.000Z",
  eventTypes: [...EVENT_TYPES],
  startedAt: "2026-01-02T00:00:00.000Z",
};

test("a recovery that failed is shown with why, and with how many events it found and queued", async () => {
  const ended = { status: "failed", reason: "It was deleted.", endedAt: "2026-01-03T00:00:00.000Z" };
  const which = ["--recovery", `rec_${"0".repeat(26)}`];

  const output = await printed(["deliveries", "recovery", ...ENDPOINT, ...which], { ...RECOVERY, ...ended });

  expect(detailsOf(output)).toEqual({
    Recovery: "rec_1",
    Status: "failed: It was deleted.",
    "Events since": RECOVERY.since,
    "Events until": RECOVERY.until,
    "Events that were not acknowledged": "7",
    "Events queued for delivery": "5",
    Ended: ended.endedAt,
  });
});

test("a recovery is limited to the time and the types that its options give", async () => {
  const inputs: unknown[] = [];
  const given = ["--since", RECOVERY.since, "--until", RECOVERY.until, "--types", "candidate.erased"];

  await onPrivateFunctions(
    ["deliveries", "recover", ...ENDPOINT, ...given, "candidate.verified"],
    (input) => {
      inputs.push(input);
      return JSON.stringify(RECOVERY);
    },
  );

  expect(inputs).toEqual([
    {
      orgId: "acme",
      endpointId: ENDPOINT[3],
      since: RECOVERY.since,
      until: RECOVERY.until,
      eventTypes: ["candidate.erased", "candidate.verified"],
    },
  ]);
});

test.each([
  [["deliveries", "list", ...ENDPOINT, "--limit", "5"], { limit: 5 }],
  [["candidates", "score", ...CANDIDATE, "--score", "100"], { score: 100 }],
  [["candidates", "score", ...CANDIDATE, "--score", "none"], { score: null }],
  [
    ["candidates", "fail-validation", ...CANDIDATE, "--reason", "cv: Blank: no text"],
    { reasons: [{ code: "cv", message: "Blank: no text" }] },
  ],
  [
    [
      "candidates",
      "remove-document",
      ...CANDIDATE,
      "--type",
      "cv",
      "--number",
      "12",
      "--updated-at",
      RECOVERY.since,
    ],
    { documentType: "cv", number: 12, updatedAt: RECOVERY.since },
  ],
])("%j sends its options as the function expects them", async (args, members) => {
  const inputs: unknown[] = [];
  await onPrivateFunctions(args, (input) => {
    inputs.push(input);
    return "null";
  });

  expect(inputs).toEqual([expect.objectContaining(members)]);
});

const PROMOTED = {
  stagedId: "staged_1",
  id: "cand_1",
  status: "promoted",
  verificationStatus: "verified",
  availabilityStatus: "available",
  workReadinessScore: 72.5,
  firstSequence: 3,
  sequence: 6,
  receivedAt: "2026-01-01T00:00:00.000Z",
  promotedAt: "2026-01-02T00:00:00.000Z",
  updatedAt: "2026-01-03T00:00:00.000Z",
};
const STANDING = {
  "Staged id": "staged_1",
  "Canonical id": "cand_1",
  Status: "promoted",
  Verification: "verified",
  Availability: "available",
  "Work readiness": "72.5",
  "First sequence": "3",
  Sequence: "6",
  Received: "2026-01-01T00:00:00.000Z",
  Promoted: "2026-01-02T00:00:00.000Z",
  Updated: "2026-01-03T00:00:00.000Z",
};

test.each([
  [true, "Done."],
  [false, "Nothing changed: the candidate was already in this state."],
])("a transition shows whether it changed the candidate (%s), and its state", async (changed, sentence) => {
  const output = await printed(["candidates", "promote", ...CANDIDATE], { ...PROMOTED, changed });

  expect(output.split("\n")[0]).toBe(sentence);
  expect(detailsOf(output)).toEqual(STANDING);
});

test("a candidate in intake is shown as not promoted, and without a score", async () => {
  const received = { ...PROMOTED, id: null, status: "received", workReadinessScore: null, promotedAt: null };
  const shown = { ...received, assessments: 0, platformAssessments: 0, documents: [], rejections: [] };

  expect(detailsOf(await printed(["candidates", "show", ...CANDIDATE], shown))).toMatchObject({
    "Canonical id": "not promoted",
    "Work readiness": "none",
    Promoted: "none",
  });
});

test("a rotation of the keyring shows which key seals from now on", async () => {
  expect(await printed(["keyring", "rotate"], { current: "7" })).toBe(
    "New secrets are now sealed with key 7.\n",
  );
});
