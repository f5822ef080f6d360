import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { mayReset } from "../../../local/service/may-reset.ts";
import { temporaryFolder } from "../../builders/temporary-folder.ts";

/** Asks at a terminal whether to reset a folder, and answers. */
async function asked(dataDir: string, answer: string, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  // Ctrl-D ends the input.
  if (answer === "") input.end();
  else input.write(answer);
  const allowed = await mayReset(dataDir, { input, output });
  await delay(0);
  output.end();
  return { allowed, printed: await text(output) };
}

test("--reset asks at a terminal before it deletes data, and only a yes deletes", async () => {
  const dataDir = await temporaryFolder();
  expect(await asked(dataDir, "n\n")).toEqual({ allowed: true, printed: "" });

  await writeFile(join(dataDir, "identity.json"), "{}");

  const question = expect.stringContaining(`in ${dataDir}? [y/N]`);
  expect(await asked(dataDir, "\n")).toEqual({ allowed: false, printed: question });
  expect(await asked(dataDir, "n\n")).toEqual({ allowed: false, printed: question });
  expect(await asked(dataDir, "yet\n")).toEqual({ allowed: false, printed: question });
  expect(await asked(dataDir, "")).toEqual({ allowed: false, printed: question });
  expect(await asked(dataDir, "y\n")).toEqual({ allowed: true, printed: question });
  expect(await asked(dataDir, "Yes\n")).toEqual({ allowed: true, printed: question });
  expect(await asked(dataDir, "n\n", false)).toEqual({ allowed: true, printed: "" });
});
