import { resolve } from "node:path";
import { expect, test } from "vitest";
import { portionsOf } from "../../tools/mutants/portions.ts";

const filesOf = (...paths: readonly string[]) => portionsOf(paths).map(({ file }) => file);

test("A file, or a folder at any depth, names the portions of its files, however the path is written", () => {
  const file = "lib/webhooks/delivery/deliver.ts";
  expect(filesOf(file)).toEqual([file]);
  expect(filesOf(`./${file}`)).toEqual([file]);
  expect(filesOf(resolve(file))).toEqual([file]);

  const all = filesOf();
  const inFolder = all.filter((each) => each.startsWith("lib/webhooks/delivery/"));
  expect(inFolder.length).toBeGreaterThan(5);
  expect(inFolder.length).toBeLessThan(all.length);
  expect(filesOf("lib/webhooks/delivery")).toEqual(inFolder);
  expect(filesOf("lib/webhooks/delivery/")).toEqual(inFolder);
  expect(filesOf("lib/webhooks").length).toBeGreaterThan(inFolder.length);
});

test("What is only the beginning of a name, or not there, names no portions", () => {
  expect(filesOf("lib/webhooks/deliver", "lib/nothing.ts", "functions")).toEqual([]);
});
