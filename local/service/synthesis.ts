import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { CommandError } from "../machine/command-error.ts";
import { folderError } from "../machine/folder-error.ts";
import { runCommand } from "../machine/run-command.ts";
import { PROJECT, STACK } from "./project.ts";

const CdkJson = z.object({ app: z.string(), context: z.record(z.string(), z.unknown()) });

/**
 * Writes the cloud assembly of the project's CDK app to `directory`, like `cdk synth`, with only the bundles of the
 * local stack. Runs the app of cdk.json directly, because the CDK's command line takes seconds more.
 *
 * @param builds a folder with the bundles of an earlier synthesis: only those whose sources changed are built again,
 *   and the assembly has only the local stack
 * @throws CommandError with the app's output, if it fails
 */
export async function synthesise(directory: string, builds?: string): Promise<void> {
  const { app, context } = CdkJson.parse(JSON.parse(readFileSync(join(PROJECT, "cdk.json"), "utf8")));
  const [command, ...args] = app.split(" ");
  try {
    await runCommand(command === "node" ? process.execPath : (command as string), args, {
      cwd: PROJECT,
      env: {
        ...process.env,
        CDK_OUTDIR: directory,
        ...(builds !== undefined && { KEPT_BUNDLES: builds }),
        CDK_CONTEXT_JSON: JSON.stringify({
          ...context,
          ...(builds !== undefined && { stack: STACK }),
          "aws:cdk:bundling-stacks": [STACK],
        }),
        // Skips rules that take two seconds and do not change the template: npm run synth applies them.
        CDK_VALIDATION: "false",
      },
    });
  } catch (error) {
    // A full disk is not the app's fault.
    if (folderError(error, directory, "LOCAL_DATA_DIR")) throw error;
    const printed = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw new CommandError(
      `The CDK app could not be synthesised. Correct the errors in its output:\n${printed}`,
    );
  }
}
