import { appendFile, cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../local/machine/run-command.ts";
import { temporaryFolder } from "../local/fixture-assembly.ts";

const PROJECT = join(import.meta.dirname, "..", "..");

test("A syntax error in a function is all that the CDK app prints", async () => {
  const copy = await temporaryFolder();
  const source = "functions/api/create-candidate.ts";
  // The other functions would only take time to build.
  for (const entry of ["package.json", "infra", "lib", source]) {
    await cp(join(PROJECT, entry), join(copy, entry), { recursive: true });
  }
  for (const entry of ["client", "docs", "node_modules"]) {
    await symlink(join(PROJECT, entry), join(copy, entry));
  }
  await appendFile(join(copy, source), "const = 1;\n");
  const env = { ...process.env, CDK_OUTDIR: join(copy, "assembly"), KEPT_BUNDLES: join(copy, "bundles") };

  const printed = await runCommand(process.execPath, ["infra/app.ts"], { cwd: copy, env }).then(
    () => "nothing",
    ({ stderr }: { readonly stderr: string }) => stderr,
  );

  expect(printed).toContain(`Expected identifier but found "="`);
  expect(printed).toContain(source);
  expect(printed.trim().split("\n").length).toBeLessThan(8);
});
