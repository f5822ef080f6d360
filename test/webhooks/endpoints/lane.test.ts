import { expect, test } from "vitest";
import type { EndpointHealth } from "#webhooks/endpoints/endpoint-health";
import { type Lane, laneOf, laterLane, retryLane } from "#webhooks/endpoints/lane";
import { paceAfterCut } from "#webhooks/endpoints/pace";

const NOW = "2026-06-10T00:30:00.000Z";

test.each<[string, EndpointHealth, string]>([
  ["well", {}, "delivery"],
  ["new", { unprovenSince: NOW }, "side"],
  ["new and slow", { unprovenSince: NOW, slowSince: NOW }, "retry"],
  ["new and failing", { unprovenSince: NOW, failingSince: NOW }, "side"],
  ["slow", { slowSince: NOW }, "retry"],
  ["suspected of being slow", { suspectedSince: NOW }, "side"],
  ["suspected and failing", { suspectedSince: NOW, failingSince: NOW }, "side"],
  ["on probation", { probationSince: NOW }, "side"],
  ["on probation and failing", { probationSince: NOW, failingSince: NOW }, "side"],
  ["on probation with a new address", { probationSince: NOW, unprovenSince: NOW }, "side"],
  ["failing", { failingSince: NOW }, "side"],
  ["slow and failing", { slowSince: NOW, failingSince: NOW }, "retry"],
])("deliveries to an endpoint that is %s wait in the right queue", (_what, health, lane) => {
  expect(laneOf(health)).toBe(lane);
});

test.each<[Lane, EndpointHealth, string | undefined]>([
  ["delivery", {}, undefined],
  ["delivery", { failingSince: NOW }, "side"],
  ["delivery", { slowSince: NOW }, "retry"],
  ["side", {}, undefined],
  ["side", { failingSince: NOW }, undefined],
  ["side", { slowSince: NOW }, "retry"],
  ["retry", {}, undefined],
  ["retry", { failingSince: NOW }, undefined],
])("a delivery from the lane %s to an endpoint with %j moves to %s", (reached, health, lane) => {
  expect(laterLane(reached, health)).toBe(lane);
});

const SECONDS = 30_000;
test.each<[string, Lane, EndpointHealth, number, string]>([
  ["soon", "delivery", {}, SECONDS, "side"],
  ["soon, at a failing endpoint", "delivery", { failingSince: NOW }, SECONDS, "side"],
  ["soon, again", "side", { failingSince: NOW }, SECONDS, "side"],
  ["soon, at a slow endpoint", "side", { slowSince: NOW }, 5_000, "retry"],
  [
    "soon, at an endpoint that became slow since it was published",
    "delivery",
    { slowSince: NOW },
    5_000,
    "retry",
  ],
  ["soon, from the retry queue", "retry", {}, 5_000, "retry"],
  ["later", "delivery", {}, SECONDS + 1, "retry"],
  ["later, from the side queue", "side", {}, SECONDS + 1, "retry"],
])("a retry that is due %s waits in the right queue", (_when, reached, health, wait, lane) => {
  expect(retryLane(reached, health, wait)).toBe(lane);
});

test("an attempt cut from the delivery queue puts an endpoint on probation, one from the side queue makes it slow", () => {
  expect(paceAfterCut("delivery", new Date(NOW))).toEqual({ probationSince: NOW });
  expect(paceAfterCut("side", new Date(NOW))).toEqual({ slowSince: NOW });
});
