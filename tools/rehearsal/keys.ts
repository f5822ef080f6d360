import * as z from "zod";
import type { Emulator } from "./emulator.ts";
import { runPlatform } from "./script.ts";

const IssuedApiKey = z.object({ orgId: z.string(), name: z.string(), apiKey: z.string() });

/** An organisation with a key of the deployed stack. */
export type Organisation = z.infer<typeof IssuedApiKey>;

/** Issues a new organisation's key as the platform team does in AWS: its command invokes the deployed function. */
export async function issueKey(emulator: Emulator, orgId: string): Promise<Organisation> {
  const command = ["--json", "keys", "create", "--org", orgId, "--new-organisation", "--name", "Rehearsal"];
  return IssuedApiKey.parse(JSON.parse(await runPlatform(command, emulator.clientEnvironment)));
}
