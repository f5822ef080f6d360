import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { CommandError } from "../command-error.ts";
import { folderError } from "../folder-error.ts";
import { runCommand } from "../run-command.ts";
import { cacheDirectory, PROJECT, STACK } from "./project.ts";

const CdkJson = z.object({ app: z.string(), context: z.record(z.string(), z.unknown()) });

/**
 * Writes the cloud assembly of the project's CDK app to `directory`, as `cdk synth` does, with the bundles
 * of the local stack only. The app of cdk.json is run directly: the CDK's command line takes seconds more.
 *
 * @throws CommandError with what the app printed, when it fails
 */
export async function synthesise(directory: string): Promise<void> {
  const { app, context } = CdkJson.parse(JSON.parse(readFileSync(join(PROJECT, "cdk.json"), "utf8")));
  const [command, ...args] = app.split(" ");
  try {
    await runCommand(command === "node" ? process.execPath : (command as string), args, {
      cwd: PROJECT,
      env: {
        ...process.env,
        CDK_OUTDIR: directory,
        CDK_CONTEXT_JSON: JSON.stringify({ ...context, "aws:cdk:bundling-stacks": [STACK] }),
        // Two seconds of rules that judge the template and do not change it: npm run synth applies them.
        CDK_VALIDATION: "false",
        NODE_COMPILE_CACHE: join(cacheDirectory(), "compiled"),
      },
    });
  } catch (error) {
    // A full disk is no fault of the app's.
    if (folderError(error, directory, "LOCAL_DATA_DIR")) throw error;
    const printed = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new CommandError(`The CDK app does not synthesise: correct what it says.\n${printed}`);
  }
}
