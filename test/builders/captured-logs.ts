import { afterEach, beforeEach, vi } from "vitest";

/** What the code under test logs, emptied for each test, and kept off the terminal. */
export function capturedLogs(): { readonly text: () => string; readonly lines: () => readonly string[] } {
  const lines: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    for (const level of ["debug", "info", "warn", "error", "log"] as const) {
      vi.spyOn(console, level).mockImplementation((...line) => void lines.push(line.map(String).join(" ")));
    }
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return { text: () => lines.join("\n"), lines: () => lines };
}
