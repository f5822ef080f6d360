import { mkdtemp, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { startProgram } from "../program.ts";

// As after a deployment by releases, whose current one is a link. A program that did nothing would end with success.
test.concurrent.each(["catch-up.mts", "verify.mts"])("%s runs in a folder that is a link", async (sample) => {
  const folder = join(await mkdtemp(join(tmpdir(), "linked-samples-")), "current");
  await symlink(resolve("docs/guides/samples"), folder);

  expect(await startProgram(process.execPath, [join(folder, sample)]).ended).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("Usage: "),
  });
});
