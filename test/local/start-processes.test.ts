import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { guarded } from "../../local/machine/process-guard.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

const PARENT = join(import.meta.dirname, "..", "..", "local", "service", "parent.ts");

function started(child: ChildProcess): ChildProcess {
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A process under the guard that ignores SIGTERM if it is stubborn; its id. */
async function guardedProcess(isStubborn: boolean) {
  const script = `${isStubborn ? "trap '' TERM; " : ""}echo $$; while :; do sleep 0.1; done`;
  const guard = started(spawn(...guarded("sh", ["-c", script]), { stdio: ["pipe", "pipe", "ignore"] }));
  const [printed] = await once(guard.stdout as NodeJS.ReadableStream, "data");
  return { guard, pid: Number(printed) };
}

test.each([
  ["", false],
  [" and ignores SIGTERM", true],
])("A guarded process%s ends when the guard's standard input closes", async (_, isStubborn) => {
  const { guard, pid } = await guardedProcess(isStubborn);
  const ended = once(guard, "exit");
  expect(isRunning(pid)).toBe(true);

  guard.stdin?.end();

  await ended;
  expect(isRunning(pid)).toBe(false);
});

test("A guard exits with the code of its process", async () => {
  const guard = started(spawn(...guarded("sh", ["-c", "exit 7"]), { stdio: ["pipe", "ignore", "ignore"] }));
  expect(await once(guard, "exit")).toEqual([7, null]);
});

test.each(["SIGTERM", "SIGKILL"] as const)(
  "What npm started notices when npm is ended by %s",
  async (signal) => {
    const folder = await temporaryFolder();
    const script = `const { watchParent } = await import(${JSON.stringify(PARENT)});
      process.on("SIGTERM", () => process.exit());
      watchParent(() => process.exit());
      console.log("running " + process.pid);
      setInterval(() => {}, 1_000);`;
    await writeFile(join(folder, "program.mjs"), script);
    const { scripts } = JSON.parse(await readFile(join(import.meta.dirname, "../../package.json"), "utf8"));
    const start = scripts.start.replace("local/service/start.ts", "program.mjs");
    const manifest = { name: "fixture", scripts: { start } };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    const npm = started(spawn("npm", ["start"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] }));
    let printed = "";
    while (!printed.includes("running ")) {
      printed += String((await once(npm.stdout as NodeJS.ReadableStream, "data"))[0]);
    }
    const pid = Number(/running (\d+)/.exec(printed)?.[1]);

    npm.kill(signal);

    await expect.poll(() => isRunning(pid)).toBe(false);
  },
);
