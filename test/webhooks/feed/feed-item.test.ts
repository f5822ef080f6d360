import { expect, test } from "vitest";
import { packEvents, readFeedItem } from "#webhooks/feed/feed-item";

const EVENT = {
  id: "evt_06hkq2v8s0c3m9t4x7b1n5r8dg",
  type: "candidate.received",
  apiVersion: "1.2.0",
  occurredAt: "2026-06-01T12:00:00.000Z",
  sequence: 1,
  data: {
    stagedId: "staged_3f9q0c7m2x8t5b1n6v4k9w0r7h",
    id: null,
    status: "received",
    verificationStatus: "in_review",
    availabilityStatus: "pending",
  },
} as const;

/** The item with the event, as the table has it: data that was compressed with another dictionary is unreadable. */
const STORED =
  "eLvNGf7BQ/NzdqFRmUWxQbJxrmWJSYV5kmGeaZFFSjp1gsLATNfAMMTQiKygME6zLDRINs81qrAoMU0yzDMrM8m2LDcoMs+gfSABAK9CXwo=";

test("an item of the event feed is read in its stored form", () => {
  const position = "2026-06-01T12:00:00.000Z#0000000000000000#00";

  expect(readFeedItem({ sk: position, events: Buffer.from(STORED, "base64") })).toEqual({
    position,
    events: [EVENT],
  });
});

test("an event alone takes less than a hundred bytes of an item", () => {
  expect(packEvents([{ ...EVENT, data: { ...EVENT.data, externalId: "ext-1" } }]).length).toBeLessThan(100);
});
