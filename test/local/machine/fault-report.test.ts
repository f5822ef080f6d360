import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StackEnded } from "../../../local/machine/command-error.ts";
import { faultReport } from "../../../local/machine/fault-report.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function aDataDirectory(): Promise<string> {
  const dataDir = await temporaryFolder();
  await writeFile(join(dataDir, "identity.json"), "{}");
  return dataDir;
}

test("A full disk is reported once a minute, and every other fault each time", async () => {
  const dataDir = await aDataDirectory();
  const messages: string[] = [];
  const report = faultReport({
    dataDir,
    onFault: (error) => messages.push(error instanceof Error ? error.message : String(error)),
  });
  const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
  const sentence = `${dataDir} cannot be used, because the disk is full: free some space, or set LOCAL_DATA_DIR to another folder.`;

  for (const error of [full, full, new Error("other"), full, new Error("other")]) report(error);
  expect(messages).toEqual([sentence, "other", "other"]);

  vi.advanceTimersByTime(60_000);
  report(full);
  expect(messages.at(-1)).toBe(sentence);
});

test("A fault after the data was deleted says so, and ends the stack", async () => {
  const dataDir = await aDataDirectory();
  const onFault = vi.fn();
  const report = faultReport({ dataDir, onFault });
  const missing = Object.assign(new Error("no such file"), { code: "ENOENT", syscall: "open" });
  report(missing);
  await rm(dataDir, { recursive: true });

  report(missing);

  expect(onFault.mock.calls).toEqual([
    [missing],
    [new StackEnded(`The data in ${dataDir} was deleted while the local stack used it: start again.`)],
  ]);
});
