import { describe, expect, test } from "vitest";
import { entityTagOf, versionsOf } from "#candidates/entity-tag";
import { aCandidate } from "../builders/candidate.ts";

describe("an entity tag", () => {
  test("is a quoted text that changes with the record", () => {
    const before = entityTagOf(aCandidate({}, { updatedAt: "2026-01-01T00:00:00.000Z" }));
    const after = entityTagOf(aCandidate({}, { updatedAt: "2026-01-01T00:00:00.001Z" }));

    expect(before).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(after).not.toBe(before);
  });

  test("sent back in If-Match names the version it was given for", () => {
    const candidate = aCandidate({});

    expect(versionsOf(entityTagOf(candidate))).toEqual([candidate.state.updatedAt]);
  });
});

describe("If-Match", () => {
  test.each([[undefined], ["*"], [" * "]])("%j asks for no version in particular", (header) => {
    expect(versionsOf(header)).toBeUndefined();
  });

  test.each([
    ['"a"', ["a"]],
    ['"a", "b"', ["a", "b"]],
    ['"a","b"', ["a", "b"]],
    [' "a" , "b" ', ["a", "b"]],
    ['W/"a"', ["a"]],
    ['W/"a", "b"', ["a", "b"]],
    ['"a",W/"b"', ["a", "b"]],
  ])("%j names %j", (header, versions) => {
    expect(versionsOf(header)).toEqual(versions);
  });

  test.each(["", "a", "W/", 'w/"a"', 'W/ "a"', 'W"a"', '"', '"a', "2026-01-02T00:00:00.000Z"])(
    "%j names no version that a record can have",
    (header) => {
      const versions = versionsOf(header);

      expect(versions).toBeDefined();
      expect(versions).not.toContain(aCandidate({}).state.updatedAt);
      expect(versions?.length).toBeGreaterThan(0);
    },
  );

  test("of endless length is cut to what DynamoDB compares, and quickly", () => {
    const header = Array(100_000).fill('"a"').join(",");
    const started = performance.now();

    expect(versionsOf(header)?.length).toBeLessThanOrEqual(100);
    expect(versionsOf(`${'"'.repeat(50_000)} ${" ".repeat(50_000)}`)).toBeDefined();
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
