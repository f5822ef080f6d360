import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { PROJECT } from "../../local/service/project.ts";

/** A running `npm start`. */
export interface NpmStart {
  readonly baseUrl: string;
  readonly organisations: readonly { readonly apiKey: string }[];
  readonly dataDir: string;
  /** The process id of npm, which has started all others. */
  readonly pid: number;
  /** How long it took until it was ready, in ms. */
  readonly startedInMs: number;
  /** Waits until it prints a text. */
  prints(text: string): Promise<void>;
  /** Stops it, and waits until it has ended. */
  stop(): Promise<void>;
}

/** Measures `npm start` with an empty folder for its data, without throttling. */
export async function onNpmStart<Measured>(
  measure: (service: NpmStart) => Promise<Measured>,
): Promise<Measured> {
  const dataDir = await mkdtemp(join(tmpdir(), "bench-"));
  try {
    const service = await npmStart(dataDir);
    try {
      return await measure(service);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * Runs `npm start` as users run it, on a free port and without throttling. It does not share its processes with the
 * benchmark, and has the settings of Node that package.json defines.
 */
export async function npmStart(dataDir: string, flags: readonly string[] = []): Promise<NpmStart> {
  const startedAt = performance.now();
  const npm = spawn("npm", ["start", "--", "--no-throttling", ...flags], {
    cwd: PROJECT,
    env: { ...process.env, PORT: "0", LOCAL_DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(npm, "exit");
  const prints = printing(npm.stdout, ended);
  // A benchmark that fails may not stop it.
  process.once("exit", () => npm.kill());
  await prints(flags.includes("--watch") ? "Watching" : "Ready at");
  const startedInMs = performance.now() - startedAt;
  const { baseUrl, organisations } = JSON.parse(readFileSync(join(dataDir, "credentials.json"), "utf8"));
  return {
    baseUrl,
    organisations,
    dataDir,
    pid: npm.pid ?? Number.NaN,
    startedInMs,
    prints,
    async stop() {
      npm.kill();
      await ended;
    },
  };
}

/** Waits until a program prints a text. */
function printing(output: Readable, ended: Promise<unknown>): (text: string) => Promise<void> {
  return async (text) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (chunk: Buffer) => String(chunk).includes(text) && resolve();
    output.on("data", look);
    const failed = ended.then(() => Promise.reject(new Error(`npm start ended before it printed: ${text}`)));
    await Promise.race([promise, failed]);
    output.off("data", look);
  };
}
