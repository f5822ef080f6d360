import fc from "fast-check";
import { expect, test } from "vitest";
import { NumberSet } from "../../../client/push/number-set.ts";

test("a set of row numbers contains the numbers added, in any order, each once", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100_000)), (numbers) => {
      const set = new NumberSet();
      for (const number of [...numbers, ...numbers]) set.add(number);

      const expected = new Set(numbers);
      expect(set.size).toBe(expected.size);
      for (const number of [0, 7, 8, 100_001, 9_000_000, ...numbers]) {
        expect(set.has(number)).toBe(expected.has(number));
      }
    }),
  );
});
