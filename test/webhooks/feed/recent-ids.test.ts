import { expect, test } from "vitest";
import { RecentIds } from "#webhooks/feed/recent-ids";

test("a process may remember another number of ids", () => {
  const recent = new RecentIds(2);
  for (const id of ["1", "2", "3"]) recent.add(id);

  expect(["1", "2", "3"].filter((id) => recent.has(id))).toEqual(["2", "3"]);
});

test("a process remembers the latest five thousand ids", () => {
  const recent = new RecentIds();
  for (let id = 1; id <= 5_000; id++) recent.add(String(id));
  expect(recent.has("1")).toBe(true);

  recent.add("5001");

  expect(recent.has("1")).toBe(false);
  expect(recent.has("2")).toBe(true);
  expect(recent.has("5001")).toBe(true);
});
