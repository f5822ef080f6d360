import { appendFile, cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { environments } from "../../infra/environments.ts";
import { runCommand } from "../../local/machine/run-command.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

const PROJECT = join(import.meta.dirname, "..", "..");
const FUNCTION = "functions/api/create-candidate.ts";

/** A copy of the CDK app that can be changed. The other functions would only take time to build. */
async function copyOfApp(): Promise<string> {
  const copy = await temporaryFolder();
  for (const entry of ["package.json", "infra", "lib", FUNCTION]) {
    await cp(join(PROJECT, entry), join(copy, entry), { recursive: true });
  }
  for (const entry of ["client", "docs", "node_modules"]) {
    await symlink(join(PROJECT, entry), join(copy, entry));
  }
  return copy;
}

/** The exit code of the app, and what it prints. */
async function run(copy: string) {
  const env = { ...process.env, CDK_OUTDIR: join(copy, "assembly"), KEPT_BUNDLES: join(copy, "bundles") };
  return runCommand(process.execPath, ["infra/app.ts"], { cwd: copy, env }).then(
    ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, printed: `${stdout}${stderr}` }),
  );
}

test("A syntax error in a function is all that the CDK app prints", async () => {
  const copy = await copyOfApp();
  await appendFile(join(copy, FUNCTION), "const = 1;\n");

  const { code, printed } = await run(copy);

  expect(code).toBe(1);
  expect(printed).toContain(`Expected identifier but found "="`);
  expect(printed).toContain(FUNCTION);
  expect(printed.trim().split("\n").length).toBeLessThan(8);
});

test("The problems of the settings are all that the CDK app prints", async () => {
  const copy = await copyOfApp();
  const file = join(copy, "infra/environments.ts");
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text.replace("retainData: true", "retainDate: true").replace('"production"', '"prod"'),
  );

  const index = environments.findIndex(({ name }) => name === "production");
  expect(await run(copy)).toEqual({
    code: 1,
    printed: [
      "Correct these settings (environments: infra/environments.ts, context: option -c or cdk.json):",
      `- environments[${index}].name: "development" or "production" is expected`,
      `- environments[${index}].retainData: missing; true or false is expected`,
      `- environments[${index}]: retainDate is unknown; the most similar name is retainData`,
      "",
    ].join("\n"),
  });
});
