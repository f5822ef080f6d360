import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { residentMegabytes } from "../../tools/bench/memory.ts";
import { onNpmStart } from "../../tools/bench/npm-start.ts";
import { processTree } from "../../tools/bench/processes.ts";
import { putting } from "../../tools/bench/puts.ts";
import { gone } from "../local/start-command.ts";

test("benchmarks measure npm start itself, and leave nothing of it even if they fail", async () => {
  const seen: unknown[] = [];
  let folder = "";
  const measured = onNpmStart(async (service) => {
    folder = service.dataDir;
    const response = await fetch(`${service.baseUrl}/v1/candidates/unknown`, {
      headers: { "X-API-Key": service.organisations[0]?.apiKey ?? "" },
    });
    await (await putting(service))();
    const commands = (await processTree(service.pid)).map(({ command }) => command);
    seen.push(response.status, commands, await residentMegabytes(service.pid));
    throw new Error("This benchmark fails.");
  });

  await expect(measured).rejects.toThrow("This benchmark fails.");
  expect(seen).toEqual([
    404,
    expect.arrayContaining([
      expect.stringMatching(/^npm start/),
      expect.stringMatching(/^node --max-semi-space-size=\d+ local\/service\/start\.ts --no-throttling$/),
      expect.stringMatching(/^java .*DynamoDBLocal\.jar/),
    ]),
    expect.any(Number),
  ]);
  expect(seen[2]).toBeGreaterThan(100);
  await gone(folder);
  expect(existsSync(folder)).toBe(false);
});
