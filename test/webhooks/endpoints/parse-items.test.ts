import { expect, test } from "vitest";
import { parseEndpointItem, parseVersionsItem } from "#webhooks/endpoints/parse-items";
import { anEndpoint } from "../builders.ts";

test("the item of an endpoint is the endpoint, with the counters of its failures", () => {
  const item = { ...anEndpoint(), failuresOn20261121: 2 };

  expect(parseEndpointItem(item)).toBe(item);
});

test("an item without a signing secret, as of an endpoint that was deleted, is no endpoint", () => {
  const { sealedSecret: _, ...item } = anEndpoint();

  expect(() => parseEndpointItem(item)).toThrow("The item of a webhook endpoint has no signing secret.");
});

test("the item of an organisation's versions counts its endpoints and has a version of each", () => {
  const item = { pk: "ENDPOINTS#acme", sk: "ENDPOINTS", endpoints: 2, whe_1: 1, whe_2: 7 };

  expect(parseVersionsItem(item)).toEqual({ endpoints: 2, byEndpoint: { whe_1: 1, whe_2: 7 } });
});

test("an organisation without the item of versions has no endpoints", () => {
  expect(parseVersionsItem({})).toEqual({ endpoints: 0, byEndpoint: {} });
});

test("a version that is not a whole number is refused", () => {
  expect(() => parseVersionsItem({ endpoints: 1, whe_1: "1" })).toThrow();
});
