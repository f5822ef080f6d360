import { expect, test, vi } from "vitest";
import { highlighted } from "../../infra/site/highlight.ts";

test("a line of a sample is highlighted to its end, however long that takes", () => {
  const line = "const { data, nextCursor } = await client.listEvents({ cursor });";
  const expected = highlighted(line, "ts");
  const clock = vi.spyOn(Date, "now");
  let now = 0;
  clock.mockImplementation(() => {
    now += 1_000;
    return now;
  });
  try {
    expect(highlighted(line, "ts")).toBe(expected);
  } finally {
    clock.mockRestore();
  }
});
