import { execFileSync, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const SECRET = "whsec_mG4xkfRg0pXo3VvUq1cZ6nJ8hY2sT5wB7dLrEaKiQyM";
const BODY = '{"id":"evt_1","type":"candidate.received","data":{"externalId":"ext-é-1001"}}';
const SIGNATURE = `sha256=${createHmac("sha256", SECRET).update(BODY).digest("hex")}`;

const samples = "docs/guides/samples";

/** Each language's sample: what must be there to run it, and how it is run. */
const languages = [
  { name: "TypeScript", tool: process.execPath, command: () => [process.execPath, `${samples}/verify.ts`] },
  { name: "Python", tool: "python3", command: () => ["python3", `${samples}/verify.py`] },
  { name: "Java", tool: "java", command: () => ["java", `${samples}/Verify.java`] },
  { name: "C#", tool: "dotnet", command: () => ["dotnet", "run", `${samples}/Verify.cs`, "--"] },
  {
    name: "Go",
    tool: "go",
    command: () => {
      const program = join(mkdtempSync(join(tmpdir(), "verify-")), "verify");
      execFileSync("go", ["build", "-o", program, `${samples}/verify.go`]);
      return [program];
    },
  },
];

// `go` knows no --version, but answers: all that counts is that it can be started.
const isHere = (tool: string) => !spawnSync(tool, ["--version"]).error;

describe.each(languages)("the sample in $name", ({ tool, command }) => {
  test.skipIf(!isHere(tool))(
    "takes a genuine delivery, and refuses what is forged",
    { timeout: 180_000 },
    () => {
      const [program = "", ...args] = command();
      const judge = (body: string, signature: string) =>
        spawnSync(program, [...args, signature], {
          input: body,
          env: { ...process.env, SIGNING_SECRET: SECRET },
        }).status === 0;

      expect(judge(BODY, SIGNATURE), "genuine").toBe(true);
      expect(judge(`${BODY} `, SIGNATURE), "another body").toBe(false);
      expect(
        judge(
          BODY,
          SIGNATURE.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
        ),
        "another digest",
      ).toBe(false);
      expect(judge(BODY, SIGNATURE.slice("sha256=".length)), "another form").toBe(false);
    },
  );
});
