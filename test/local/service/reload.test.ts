import { expect, test } from "vitest";
import { reload } from "../../../local/service/reload.ts";

test.each([
  [
    "that fails says so, and what runs",
    false,
    ["a.ts and 1 more changed: reloading", "failed", "The previous version keeps running."],
  ],
  ["that a stop ends reports no failure", true, ["a.ts and 1 more changed: reloading"]],
])("A reload %s", async (_, stops, printed) => {
  const lines: string[] = [];
  let isStopping = false;
  const say = (line: string) => lines.push(line);
  const stack = {
    async reload() {
      isStopping = stops;
      throw new Error("failed");
    },
  };

  await reload(stack, ["a.ts", "b.ts"], {
    say,
    complain: (error) => say(error instanceof Error ? error.message : ""),
    isStopping: () => isStopping,
  });

  expect(lines).toEqual(printed);
});

test("A reload says how long it took, and one that a stop preceded does not begin", async () => {
  const lines: string[] = [];
  let reloads = 0;
  const stack = {
    async reload() {
      reloads += 1;
    },
  };
  const reporter = { say: (line: string) => lines.push(line), complain: expect.unreachable };

  await reload(stack, ["a.ts"], { ...reporter, isStopping: () => false });
  await reload(stack, ["b.ts"], { ...reporter, isStopping: () => true });

  expect(lines).toEqual(["a.ts changed: reloading", expect.stringMatching(/^Reloaded in \d+\.\d s$/)]);
  expect(reloads).toBe(1);
});
