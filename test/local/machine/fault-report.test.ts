import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { faultReport } from "../../../local/machine/fault-report.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("A full disk is reported once a minute, and every other fault each time", () => {
  const messages: string[] = [];
  const report = faultReport({
    dataDir: "/data",
    onFault: (error) => messages.push(error instanceof Error ? error.message : String(error)),
  });
  const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
  const sentence =
    "/data cannot be used, because the disk is full: free some space, or set LOCAL_DATA_DIR to another folder.";

  for (const error of [full, full, new Error("other"), full, new Error("other")]) report(error);
  expect(messages).toEqual([sentence, "other", "other"]);

  vi.advanceTimersByTime(60_000);
  report(full);
  expect(messages.at(-1)).toBe(sentence);
});
