import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EVENT_TYPES, WebhookEvent } from "#contract/events";

test("the example bodies shown to subscribers are events of every type, byte for byte", () => {
  const [, block = ""] = readFileSync("docs/guides/webhooks.md", "utf8").match(/```json\n(.*?)```/s) ?? [];
  const bodies = block.trim().split("\n");

  const types = bodies.map((body) => JSON.parse(body).type);
  expect(types.sort(), "the first block of JSON in docs/guides/webhooks.md").toEqual([...EVENT_TYPES].sort());
  for (const body of bodies) expect(JSON.stringify(WebhookEvent.parse(JSON.parse(body)))).toBe(body);
});
