import { describe, expect, test } from "vitest";
import { entityTagOf, versionsOf } from "#candidates/entity-tag";
import { InvalidRequest } from "#contract/errors";
import { aCandidate } from "../builders/candidate.ts";

describe("an entity tag", () => {
  test("is a quoted string that changes with the record", () => {
    const before = entityTagOf(aCandidate({}, { updatedAt: "2026-01-01T00:00:00.000Z" }));
    const after = entityTagOf(aCandidate({}, { updatedAt: "2026-01-01T00:00:00.001Z" }));

    expect(before).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(after).not.toBe(before);
  });

  test("sent back in If-Match matches the version it was returned with", () => {
    const candidate = aCandidate({});

    expect(versionsOf(entityTagOf(candidate))).toEqual([candidate.state.updatedAt]);
  });
});

describe("If-Match", () => {
  test.each([[undefined], ["*"], [" * "]])("of %j matches any version", (header) => {
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
  ])("of %j matches the versions %j", (header, versions) => {
    expect(versionsOf(header)).toEqual(versions);
  });

  test.each(["", "a", "W/", 'w/"a"', 'W/ "a"', 'W"a"', '"', '"a', "2026-01-02T00:00:00.000Z"])(
    "of %j matches no version",
    (header) => {
      const versions = versionsOf(header);

      expect(versions).toBeDefined();
      expect(versions).not.toContain(aCandidate({}).state.updatedAt);
      expect(versions?.length).toBeGreaterThan(0);
    },
  );

  test("may list as many versions as DynamoDB can compare, and is refused beyond", () => {
    const listOf = (length: number) => Array.from({ length }, (_, version) => `"${version}"`).join(",");

    expect(versionsOf(listOf(100))).toHaveLength(100);
    expect(() => versionsOf(listOf(101))).toThrow(
      new InvalidRequest("If-Match: at most 100 tags are expected"),
    );
  });

  test("of great length is read quickly", () => {
    const started = performance.now();

    expect(() => versionsOf(Array(100_000).fill('"a"').join(","))).toThrow(InvalidRequest);
    expect(versionsOf(`${'"'.repeat(50_000)} ${" ".repeat(50_000)}`)).toBeDefined();
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
