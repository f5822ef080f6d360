import { describe, expect, test } from "vitest";
import { aProxyEvent } from "../builders/proxy-event.ts";
import { aFullSubmission, aSubmission } from "../builders/submission.ts";
import { CONTRACT_WORDS, foundIn, privateValuesOf, textsOf } from "./private-values.ts";

const sent = (parts: Parameters<typeof aProxyEvent>[0], response: unknown = null) =>
  privateValuesOf({ event: aProxyEvent(parts), response });

describe("a private value to search logs for", () => {
  test("is every string of a full submission except the contract's own words and codes", () => {
    const submission = aFullSubmission();
    const searched = sent({ body: submission });

    const left = textsOf(submission).filter((text) => !searched.some((value) => text.startsWith(value)));
    const codesAndScores = /^[A-Z]{2,3}$|^\d\d?\.\d{1,2}$/;
    expect(
      left.filter((text) => !CONTRACT_WORDS.has(text) && !codesAndScores.test(text)),
      "In `aFullSubmission` give it six characters or more: shorter values are not searched for.",
    ).toEqual([]);
  });

  test("is what callers sent in query, path and malformed bodies, and their API keys", () => {
    const values = sent({
      headers: { "x-api-KEY": "rr_dev_secret" },
      query: { externalId: ["ada@example.com"] },
      id: "grace@example.com",
      body: '{"firstName": "Adelaide",',
    });

    expect(values).toEqual(
      expect.arrayContaining(["rr_dev_secret", "ada@example.com", "grace@example.com", "Adelaide"]),
    );
    expect(values).not.toContain("firstName");
  });

  test("is no id of the service", () => {
    expect(sent({ id: "staged_0123456789abcdefghjkmnpqrs" })).toEqual([]);
    expect(privateValuesOf({ event: { orgId: "organisation", handle: "staged_1" }, response: null })).toEqual(
      [],
    );
  });

  test("is personal data sent to a private function, and a key or secret shown once", () => {
    const command = { orgId: "acme", assessment: { name: "Reasoning" } };

    expect(privateValuesOf({ event: command, response: { apiKey: "rr_dev_told" } })).toEqual([
      "Reasoning",
      "rr_dev_told",
    ]);
    expect(sent({}, { statusCode: 201, body: '{"id":"whe_1","signingSecret":"whsec_told"}' })).toEqual([
      "whsec_told",
    ]);
  });
});

describe("a private value is found in a log", () => {
  const value = `Ada "the" \\ ü 😀 Lovelace`;
  const record = { ...aSubmission(), lastName: value };

  test.each([
    ["as it is", `message: ${value}.`],
    ["as a member of a log line", JSON.stringify({ message: value })],
    ["in a body that a log line holds", JSON.stringify({ body: JSON.stringify(record) })],
    ["in a body that is logged in part", JSON.stringify({ body: JSON.stringify(record).slice(10, 200) })],
  ])("%s", (_how, text) => {
    expect(foundIn(text, [value, "something else"])).toEqual([value]);
  });

  test.each(["Hopper", " Hopper", "hi, Hopper!", "\nHopper", "Grace_Hopper"])("as a word, in %j", (text) => {
    expect(foundIn(JSON.stringify(text), ["Hopper"])).toEqual(["Hopper"]);
  });

  test.each(["Grasshopper", "Hoppers", "GraceHopper", "Hopper2"])(
    "but not in a longer word, as %j",
    (text) => {
      expect(foundIn(JSON.stringify(text), ["Hopper", "hopper"])).toEqual([]);
    },
  );

  test("but not where it does not occur", () => {
    expect(foundIn(JSON.stringify({ message: "request", orgId: "acme" }), [value])).toEqual([]);
  });
});
