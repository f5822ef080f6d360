import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { oneSignal } from "../../client/terminal/one-signal.ts";
import { guarded } from "../../local/dynamodb/process-guard.ts";
import { mayReset } from "../../local/service/may-reset.ts";
import { reload } from "../../local/service/reload.ts";
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

test("A signal that npm passes on is the terminal's Ctrl-C, and one a second later is another", () => {
  const calls: string[] = [];
  let now = 5_000;
  const interrupt = oneSignal(
    (signal) => calls.push(`stop on ${signal}`),
    (signal) => calls.push(`end on ${signal}`),
    () => now,
  );

  interrupt("SIGINT");
  now += 50;
  interrupt("SIGINT");
  now += 900;
  interrupt("SIGTERM");
  expect(calls).toEqual(["stop on SIGINT"]);

  now += 50;
  interrupt("SIGINT");
  expect(calls).toEqual(["stop on SIGINT", "end on SIGINT"]);
});

test.each([
  [false, ["a.ts and 1 more changed: reloading", "failed", "The previous version keeps running."]],
  [true, ["a.ts and 1 more changed: reloading"]],
])("A reload reports its failure unless a stop ended it (%s)", async (stops, printed) => {
  const lines: string[] = [];
  let isStopping = false;
  const say = (line: string) => lines.push(line);
  const stack = {
    async reload() {
      isStopping = stops;
      throw new Error("failed");
    },
  };

  await reload(stack, ["a.ts", "b.ts"], {
    say,
    complain: (error) => say(error instanceof Error ? error.message : ""),
    isStopping: () => isStopping,
  });

  expect(lines).toEqual(printed);
});

/** Asks at a terminal whether to reset a folder, and answers. */
async function asked(dataDir: string, answer: string, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  input.write(answer);
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
  expect(await asked(dataDir, "y\n")).toEqual({ allowed: true, printed: question });
  expect(await asked(dataDir, "Yes\n")).toEqual({ allowed: true, printed: question });
  expect(await asked(dataDir, "n\n", false)).toEqual({ allowed: true, printed: "" });
});
