import { expect, test } from "vitest";
import { reload } from "../../../local/service/reload.ts";

test.each([
  [false, ["a.ts and 1 more changed: reloading", "failed", "The previous version keeps running."]],
  [true, ["a.ts and 1 more changed: reloading"]],
])("A reload reports its failure unless a stop ended it (%s)", async (stops, printed) => {
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
