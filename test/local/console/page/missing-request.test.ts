import { expect, test } from "vitest";
import type { DeliveryFailure } from "#contract/webhook-delivery";
import { missingRequestText } from "../../../../local/console/page/missing-request.ts";

const made = { attempt: 1, at: "2026-11-28T12:00:00.000Z", durationMs: 3 };
const textOf = (failure: DeliveryFailure) => missingRequestText({ ...made, failure });

test.for(["address_refused", "name_not_resolved"] as const)(
  "of an attempt that failed with %s, the console says that nothing was sent",
  (failure) => {
    expect(textOf(failure)).toBe("Nothing was sent.");
  },
);

test.for(["connection_failed", "timeout", "tls_failed"] as const)(
  "of an attempt that failed with %s, the console leaves open whether a request was sent",
  (failure) => {
    expect(textOf(failure)).toBe(
      "The request is not available: there was no connection, or it was sent before the stack started, or too long ago.",
    );
  },
);

test("of an attempt with a response, the console says that its request is no longer available", () => {
  const gone = "The request is no longer available: it was sent before the stack started, or too long ago.";

  expect(textOf("invalid_response")).toBe(gone);
  expect(missingRequestText({ ...made, statusCode: 500 })).toBe(gone);
});
