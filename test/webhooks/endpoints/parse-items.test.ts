import { expect, test } from "vitest";
import { parseEndpointItem, parseVersionsItem } from "#webhooks/endpoints/parse-items";
import { anEndpoint } from "../builders.ts";

test("the item of an endpoint is the endpoint, with the counters of its failures", () => {
  const item = { ...anEndpoint(), failuresOn20261121: 2 };

  expect(parseEndpointItem(item)).toBe(item);
});

// An update without a condition creates an item without them; a change by hand may remove one.
test.each(["sealedSecret", "url", "createdAt", "eventTypes"])(
  "an item without %s is no endpoint, and the error names it",
  (name) => {
    const item = { ...anEndpoint(), sk: "ENDPOINT#whe_1", [name]: undefined };

    expect(() => parseEndpointItem(item)).toThrow(
      `The item ENDPOINT#whe_1 of a webhook endpoint has no ${name}.`,
    );
  },
);

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
