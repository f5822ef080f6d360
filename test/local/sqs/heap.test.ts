import fc from "fast-check";
import { expect, test } from "vitest";
import { Heap } from "../../../local/sqs/heap.ts";

test("A heap returns its items in order, whatever was added and removed before", () => {
  const step = fc.record({ value: fc.nat(20), removes: fc.option(fc.nat(20), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const heap = new Heap<{ value: number }>((left, right) => left.value < right.value);
      let inside: { value: number }[] = [];
      for (const { value, removes } of steps) {
        const added = { value };
        heap.add(added);
        inside.push(added);
        const removed = removes === undefined ? undefined : inside[removes % inside.length];
        if (!removed) continue;
        expect(heap.remove(removed)).toBe(true);
        expect(heap.remove(removed)).toBe(false);
        inside = inside.filter((item) => item !== removed);
      }
      const drained: number[] = [];
      for (let { first } = heap; first; { first } = heap) {
        drained.push(first.value);
        heap.remove(first);
      }
      expect(drained).toEqual(inside.map(({ value }) => value).sort((left, right) => left - right));
      expect(heap.size).toBe(0);
    }),
  );
});
