import { expect, inject, test } from "vitest";
import { templatesIn } from "../synthesised.ts";
import { readMatchedRules } from "./recording.ts";
import { countedRules } from "./web-acl.ts";

const recording = inject("recording");
if (!recording) {
  throw new Error("Nothing was recorded: run the end-to-end tests in the same run, as npm test does.");
}
const matched = readMatchedRules(recording.matchedRules);
const [, [, production]] = templatesIn(inject("assembly"));
const counted = [...countedRules(production).values()].flat();

test("no request of the end-to-end tests that the contract allows is blocked by a managed rule", () => {
  expect(matched.filter((rule) => !counted.includes(rule))).toEqual([]);
});

// A part of the end-to-end tests sends a part of what callers may send.
test.runIf(recording.whole)(
  "the end-to-end tests send requests that the managed rules consider an attack",
  () => {
    expect(matched).toEqual(
      expect.arrayContaining([
        "NoUserAgent_HEADER",
        "SizeRestrictions_BODY",
        "SizeRestrictions_URIPATH",
        "CrossSiteScripting_BODY",
        "CrossSiteScripting_QUERYARGUMENTS",
        "GenericLFI_QUERYARGUMENTS",
        "GenericLFI_URIPATH",
        "GenericRFI_BODY",
        "Log4JRCE_BODY",
        "Log4JRCE_QUERYSTRING",
        "RestrictedExtensions_QUERYARGUMENTS",
      ]),
    );
  },
);
