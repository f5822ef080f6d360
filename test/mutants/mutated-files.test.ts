import { resolve } from "node:path";
import { expect, test } from "vitest";
import { mutatedFilesIn } from "../../tools/mutants/mutated-files.ts";

const filesOf = (...paths: readonly string[]) => mutatedFilesIn(paths).map(({ file }) => file);

test("A file, or a folder at any depth, names its files, however the path is written", () => {
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

test("What is only the beginning of a name, or not there, names no files", () => {
  expect(filesOf("lib/webhooks/deliver", "lib/nothing.ts", "functions")).toEqual([]);
});
