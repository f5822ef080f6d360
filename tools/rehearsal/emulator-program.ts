import { join } from "node:path";
import { pythonEnvironment } from "../python-environment.ts";

/**
 * The path of the `ministack` program, installed once.
 *
 * @throws CommandError when it cannot be installed
 */
export async function emulatorProgram(onProgress: (message: string) => void): Promise<string> {
  const requirements = join(import.meta.dirname, "requirements.txt");
  return join(await pythonEnvironment({ name: "ministack", requirements, onProgress }), "ministack");
}
