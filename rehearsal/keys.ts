import { join } from "node:path";
import * as z from "zod";
import { runCommand } from "../local/run-command.ts";
import { PROJECT } from "../local/synthesis.ts";
import type { Emulator } from "./emulator.ts";
import { RehearsalProblem } from "./problem.ts";

const IssuedApiKey = z.object({ orgId: z.string(), name: z.string(), apiKey: z.string() });

/** An organisation with a key of the deployed stack. */
export type Organisation = z.infer<typeof IssuedApiKey>;

/** Issues a key as the platform team does in AWS: its command invokes the deployed function. */
export async function issueKey(emulator: Emulator, orgId: string): Promise<Organisation> {
  const platform = join(PROJECT, "platform", "platform.ts");
  const command = ["--environment", "development", "--json", "keys", "create"];
  try {
    const { stdout } = await runCommand(
      process.execPath,
      [platform, ...command, "--org", orgId, "--name", "Rehearsal"],
      { env: emulator.clientEnvironment },
    );
    return IssuedApiKey.parse(JSON.parse(stdout));
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new RehearsalProblem(`The platform command issued no key. It said: ${said}`, { cause: error });
  }
}
