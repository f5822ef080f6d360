import { expect, test } from "vitest";
import type { EndpointHealth } from "#webhooks/endpoints/endpoint-health";
import { laneOf, paceAfterCut } from "#webhooks/endpoints/lane";

const NOW = "2026-06-10T00:30:00.000Z";

test.each<[string, EndpointHealth, string]>([
  ["well", {}, "delivery"],
  ["new", { unprovenSince: NOW }, "side"],
  ["new and slow", { unprovenSince: NOW, slowSince: NOW }, "retry"],
  ["new and failing", { unprovenSince: NOW, failingSince: NOW }, "retry"],
  ["slow", { slowSince: NOW }, "retry"],
  ["suspected of being slow", { suspectedSince: NOW }, "side"],
  ["suspected and failing", { suspectedSince: NOW, failingSince: NOW }, "retry"],
  ["on probation", { probationSince: NOW }, "side"],
  ["on probation and failing", { probationSince: NOW, failingSince: NOW }, "retry"],
  ["on probation with a new address", { probationSince: NOW, unprovenSince: NOW }, "side"],
  ["failing", { failingSince: NOW }, "retry"],
  ["slow and failing", { slowSince: NOW, failingSince: NOW }, "retry"],
])("deliveries to an endpoint that is %s wait in the right queue", (_what, health, lane) => {
  expect(laneOf(health)).toBe(lane);
});

test("an attempt cut from the delivery queue puts an endpoint on probation, one from the side queue makes it slow", () => {
  expect(paceAfterCut("delivery", new Date(NOW))).toEqual({ probationSince: NOW });
  expect(paceAfterCut("side", new Date(NOW))).toEqual({ slowSince: NOW });
});
