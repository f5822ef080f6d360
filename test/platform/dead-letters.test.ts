import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { run } from "../../platform/run.ts";
import { temporaryFolder } from "../local/fixture-assembly.ts";

afterEach(() => vi.unstubAllEnvs());

/** Runs the command with private functions that redrive nothing, and leave so many letters of each queue. */
async function redriving(left: Readonly<Record<string, number>>) {
  const server = createServer(async (request, response) => {
    const { queue } = (await json(request)) as { readonly queue: string };
    response.end(JSON.stringify({ redriven: 0, left: left[queue] ?? 0 }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const folder = await temporaryFolder();
  await writeFile(
    join(folder, "credentials.json"),
    JSON.stringify({ invokeUrl: `http://127.0.0.1:${port}` }),
  );
  vi.stubEnv("LOCAL_DATA_DIR", folder);
  let stdout = "";
  let stderr = "";
  const code = await run(["dead-letters", "redrive"], {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

test("a redrive that leaves nothing succeeds", async () => {
  expect(await redriving({})).toEqual({
    code: 0,
    stdout: "deliveries: 0 redriven, 0 left.\nevents: 0 redriven, 0 left.\nsweeps: 0 redriven, 0 left.\n",
    stderr: "",
  });
});

test.each([
  ["deliveries", "deadletters"],
  ["events", "unreadableevents"],
  ["sweeps", "unsweptparts"],
])(
  "a redrive that leaves letters of the queue %s fails, and names their section of the runbook",
  async (queue, section) => {
    const { code, stdout, stderr } = await redriving({ [queue]: 2 });

    expect(code).toBe(1);
    expect(stdout).toContain(`${queue}: 0 redriven, 2 left.`);
    expect(stderr).toBe(
      `What is left could not be read, or failed again: see docs/operations.md#${section}.\n`,
    );
  },
);
