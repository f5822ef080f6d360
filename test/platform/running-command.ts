import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { onTestFinished, vi } from "vitest";
import { run } from "../../platform/run.ts";
import { listening } from "../builders/listening.ts";
import { temporaryFolder } from "../builders/temporary-folder.ts";

/** Runs the command on a local stack whose private functions respond to their input with this text. */
export async function onPrivateFunctions(
  args: readonly string[],
  respond: (input: Readonly<Record<string, unknown>>) => string,
) {
  const server = createServer(async (request, response) => {
    response.end(respond((await json(request)) as Record<string, unknown>));
  });
  return withCredentials(args, JSON.stringify({ invokeUrl: await listening(server) }));
}

/** Runs the command with this as the local stack's file of credentials. */
export async function withCredentials(args: readonly string[], credentials: string) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "credentials.json"), credentials);
  return withDataDirectory(args, folder);
}

/** Runs the command with this as the local stack's folder. */
export async function withDataDirectory(args: readonly string[], folder: string) {
  vi.stubEnv("LOCAL_DATA_DIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  let stdout = "";
  let stderr = "";
  const code = await run(args, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr, folder };
}
