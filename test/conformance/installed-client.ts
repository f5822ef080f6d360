import { cp, mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildLibrary } from "../../client/package.ts";

/** Puts the client where programs in a folder import it from. */
export async function installClient(folder: string): Promise<void> {
  const { name } = JSON.parse(await readFile("client/package.json", "utf8")) as { name: string };
  const installed = resolve(folder, "node_modules", name);
  await mkdir(installed, { recursive: true });
  await cp("client/package.json", join(installed, "package.json"));
  await buildLibrary(installed);
}
