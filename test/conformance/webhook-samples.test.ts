import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";

const SECRET = "whsec_mG4xkfRg0pXo3VvUq1cZ6nJ8hY2sT5wB7dLrEaKiQyM";
const BODY = '{"id":"evt_1","type":"candidate.received","data":{"externalId":"ext-é-1001"}}';
const signatureWith = (secret: string) => `sha256=${createHmac("sha256", secret).update(BODY).digest("hex")}`;
const SIGNATURE = signatureWith(SECRET);
/** What a forger sends to a receiver without a secret: the signature of an empty body with an empty key. */
const FORGED_EMPTY = `sha256=${createHmac("sha256", "").digest("hex")}`;

const samples = resolve("docs/guides/samples");
const newFolder = () => mkdtempSync(join(tmpdir(), "verify-"));

interface Language {
  readonly name: string;
  /** What must be there to run the sample. */
  readonly tool: string;
  /** Runs the sample as a program. */
  command(): readonly string[];
  /**
   * Runs a program that imports the sample and prints what it says of FORGED_EMPTY. Nothing imports C#'s: a
   * file with top-level statements is the program.
   */
  importing?(): readonly string[];
}

const languages: readonly Language[] = [
  {
    name: "TypeScript",
    tool: process.execPath,
    command: () => [process.execPath, `${samples}/verify.mts`],
    importing: () => [
      process.execPath,
      "--input-type=module",
      "--eval",
      `import { isGenuine } from "${samples}/verify.mts";
       const judge = (secret) => isGenuine(new Uint8Array(), "${FORGED_EMPTY}", secret);
       process.stdout.write([judge(""), judge(undefined)].join());`,
    ],
  },
  {
    name: "Python",
    tool: "python3",
    command: () => ["python3", `${samples}/verify.py`],
    importing: () => [
      "python3",
      "-Bc",
      `import sys; sys.path.insert(0, "${samples}"); from verify import is_genuine
print(is_genuine(b"", "${FORGED_EMPTY}", ""), is_genuine(b"", "${FORGED_EMPTY}", None), sep=",", end="")`,
    ],
  },
  {
    name: "Java",
    tool: "java",
    command() {
      const folder = newFolder();
      execFileSync("javac", ["-encoding", "UTF-8", "-d", folder, `${samples}/Verify.java`]);
      return ["java", "-cp", folder, "Verify"];
    },
    importing() {
      const folder = newFolder();
      const probe = join(folder, "Probe.java");
      writeFileSync(
        probe,
        `public class Probe {
           public static void main(String[] arguments) throws Exception {
             System.out.print(Verify.isGenuine(new byte[0], "${FORGED_EMPTY}", "") + "," +
               Verify.isGenuine(new byte[0], "${FORGED_EMPTY}", null));
           }
         }`,
      );
      execFileSync("javac", ["-encoding", "UTF-8", "-d", folder, `${samples}/Verify.java`, probe]);
      return ["java", "-cp", folder, "Probe"];
    },
  },
  {
    name: "PHP",
    tool: "php",
    command: () => ["php", `${samples}/verify.php`],
    importing: () => [
      "php",
      "-r",
      `require "${samples}/verify.php";
       $judge = fn ($secret) => var_export(isGenuine("", "${FORGED_EMPTY}", $secret), true);
       echo $judge(""), ",", $judge(getenv("UNSET"));`,
    ],
  },
  {
    name: "Ruby",
    tool: "ruby",
    command: () => ["ruby", `${samples}/verify.rb`],
    importing: () => [
      "ruby",
      "-e",
      `require "${samples}/verify.rb"
       print genuine?("", "${FORGED_EMPTY}", ""), ",", genuine?("", "${FORGED_EMPTY}", nil)`,
    ],
  },
  { name: "C#", tool: "dotnet", command: () => ["dotnet", "run", `${samples}/Verify.cs`, "--"] },
  {
    name: "Go",
    tool: "go",
    command() {
      const program = join(newFolder(), "verify");
      execFileSync("go", ["build", "-o", program, `${samples}/verify.go`]);
      return [program];
    },
    importing() {
      const folder = newFolder();
      const program = join(folder, "probe");
      // Go imports no program: another file of its package uses it, as a test is.
      execFileSync("cp", [`${samples}/verify.go`, folder]);
      writeFileSync(
        join(folder, "probe_test.go"),
        `package main
         import ("fmt"; "os"; "testing")
         func TestMain(*testing.M) {
           fmt.Printf("%t,%t", IsGenuine(nil, "${FORGED_EMPTY}", ""), IsGenuine(nil, "${FORGED_EMPTY}", os.Getenv("UNSET")))
         }`,
      );
      execFileSync("go", ["test", "-c", "-o", program, "verify.go", "probe_test.go"], { cwd: folder });
      return [program];
    },
  },
];

// `go` knows no --version, but starts: that is all that counts.
const isHere = (tool: string) => !spawnSync(tool, ["--version"]).error;

describe.each(languages)("the webhook receiver sample in $name", ({ tool, command, importing }) => {
  test.skipIf(!isHere(tool))("accepts a genuine delivery and refuses forged ones", () => {
    const [program = "", ...args] = command();
    const { SIGNING_SECRET: _, ...unset } = process.env;
    const judge = (
      body: string,
      signature: string,
      env: NodeJS.ProcessEnv = { ...unset, SIGNING_SECRET: SECRET },
    ) => {
      const { status, stdout } = spawnSync(program, [...args, signature], { input: body, env });
      const isGenuine = status === 0;
      expect(`${stdout}`.trim()).toBe(isGenuine ? "genuine" : "not genuine");
      return isGenuine;
    };

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
    const forged = signatureWith("");
    expect(judge(BODY, forged, { ...unset, SIGNING_SECRET: "" }), "an empty secret").toBe(false);
    expect(judge(BODY, forged, unset), "no secret").toBe(false);
  });

  test.skipIf(!isHere(tool))("prints its usage without a signature, and judges nothing", () => {
    const [program = "", ...args] = command();

    const { status, stdout, stderr } = spawnSync(program, args, { input: BODY });

    expect(status).toBe(2);
    expect(`${stdout}`).toBe("");
    expect(`${stderr}`).toMatch(/^Usage: SIGNING_SECRET=whsec_\.\.\. .+ 'sha256=\.\.\.' < body\.json\s*$/);
  });

  test.skipIf(!isHere(tool) || !importing)(
    "refuses everything without a secret, and reads no input when it is imported",
    async () => {
      const [program = "", ...args] = importing?.() ?? [];
      // Its standard input stays open and empty: who reads it to the end never ends.
      const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
      onTestFinished(() => void child.kill("SIGKILL"));

      const printed = (await child.stdout.toArray()).join("").toLowerCase();

      expect(printed).toBe("false,false");
    },
  );
});
