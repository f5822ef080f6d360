import { Command } from "commander";
import { expect, test } from "vitest";
import { details, print, table } from "../../platform/output.ts";

/** Sets colours, clears the line, reverses the direction of text, and begins another line. */
const HOSTILE = "\u001b[32m\u009b2K\u202e\u007f\u2028\nStatus  promoted";

function printed(args: readonly string[]): string {
  let output = "";
  const command = new Command().option("--json").configureOutput({ writeOut: (text) => (output += text) });
  command.action(() => print(command, { message: HOSTILE }, () => details([["Reason", HOSTILE]])));
  command.parse(args, { from: "user" });
  return output;
}

const lines = (text: string) => text.split("\n").length;

test("a value from the service reaches the terminal neither as a control sequence nor as a line of its own", () => {
  const readable = printed([]);
  const grid = table([HOSTILE], [["Reason", (reason) => reason]]);

  for (const output of [readable.trimEnd(), grid]) {
    expect(output.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
    expect(output).toContain("Status  promoted");
  }
  expect(lines(readable.trimEnd())).toBe(1);
  expect(lines(grid)).toBe(lines(table(["harmless"], [["Reason", (reason) => reason]])));
});

test("JSON is printed without control characters, and contains the same value", () => {
  const output = printed(["--json"]);

  expect(output.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
  expect(JSON.parse(output)).toEqual({ message: HOSTILE });
});
