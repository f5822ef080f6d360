import { describe, expect, test } from "vitest";
import type { DeliveryAttempt } from "#contract/webhook-delivery";
import { stateOf } from "#webhooks/recoveries/resend-missed";
import { type StoredRecovery, toRecovery } from "#webhooks/recoveries/stored-recovery";
import { NOW } from "../builders.ts";

const MINUTE = 60_000;
const moment = (ms: number) => new Date(NOW.getTime() + ms).toISOString();
const anAttempt: DeliveryAttempt = { attempt: 1, at: moment(-MINUTE), durationMs: 12, statusCode: 500 };
const attempts = (count: number) => Array.from({ length: count }, () => anAttempt);

describe("an event at an endpoint", () => {
  test.each([
    ["was never attempted", undefined, "missed"],
    ["was delivered", { status: "delivered", attempts: attempts(1) }, "acknowledged"],
    ["was delivered after many attempts", { status: "delivered", attempts: attempts(100) }, "acknowledged"],
    ["failed", { status: "failed", attempts: attempts(11) }, "missed"],
    ["was dropped", { status: "dropped", attempts: [] }, "missed"],
    ["is attempted soon", { status: "pending", attempts: [], nextAttemptAt: moment(15 * MINUTE) }, "pending"],
    [
      "is attempted in hours",
      { status: "pending", attempts: [], nextAttemptAt: moment(15 * MINUTE + 1) },
      "missed",
    ],
    [
      "should have been attempted just now",
      { status: "pending", attempts: [], nextAttemptAt: moment(-MINUTE) },
      "pending",
    ],
    [
      "should have been attempted long ago",
      { status: "pending", attempts: [], nextAttemptAt: moment(-16 * MINUTE) },
      "missed",
    ],
    ["has had a hundred attempts", { status: "failed", attempts: attempts(100) }, "exhausted"],
  ] as const)("that %s", (_, record, state) => {
    expect(stateOf(record as Parameters<typeof stateOf>[0], NOW)).toBe(state);
  });
});

test("a recovery without progress for an hour is shown as failed, and with what is stored no more", () => {
  const stored: StoredRecovery = {
    id: "rec_1",
    status: "running",
    found: 3,
    sent: 2,
    since: moment(-MINUTE),
    until: moment(0),
    eventTypes: ["candidate.received"],
    startedAt: moment(0),
    orgId: "acme",
    endpointId: "whe_1",
    position: moment(0),
    eventsRead: 0,
    pacedUntil: moment(0),
    progressAt: moment(0),
    receives: 1,
  };

  const running = toRecovery(stored, new Date(NOW.getTime() + 60 * MINUTE));
  const abandoned = toRecovery(stored, new Date(NOW.getTime() + 60 * MINUTE + 1));

  expect(running).toMatchObject({ status: "running" });
  expect(running).not.toHaveProperty("position");
  expect(running).not.toHaveProperty("orgId");
  expect(abandoned).toMatchObject({ status: "failed", endedAt: moment(60 * MINUTE) });
  expect(toRecovery({ ...stored, status: "completed" }, new Date(NOW.getTime() + 90 * MINUTE))).toMatchObject(
    { status: "completed" },
  );
});
