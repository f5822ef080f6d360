import { Command, Option } from "commander";
import { EnvironmentName } from "#runtime/environment";
import { exitCodeAfter, SUCCEEDED } from "../client/terminal/exit-code.ts";
import { printable } from "../client/terminal/printable.ts";
import { addCandidateCommands } from "./candidates.ts";
import { addDeadLetterCommands } from "./dead-letters.ts";
import { addDeliveryCommands } from "./deliveries.ts";
import { addKeyringCommands } from "./keyring.ts";
import { addKeyCommands } from "./keys.ts";

/**
 * Adds each group of commands.
 *
 * @internal Exported for tests.
 */
export function addCommands(program: Command): void {
  addCandidateCommands(program);
  addDeadLetterCommands(program);
  addDeliveryCommands(program);
  addKeyCommands(program);
  addKeyringCommands(program);
}

/** Where a command prints: the streams of its process. */
interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/**
 * Runs the command with the arguments that follow its name.
 *
 * @returns the exit code
 */
export async function run(args: readonly string[], { stdout, stderr }: Streams): Promise<number> {
  const program = new Command("platform")
    .description(
      "Operates the service by invoking its private functions: on the local stack, or with --environment in AWS.",
    )
    .addOption(
      new Option("--environment <name>", "the AWS environment; uses your AWS credentials").choices(
        EnvironmentName.options,
      ),
    )
    .option("--json", "print JSON, for programs")
    .showHelpAfterError()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .exitOverride();
  addCommands(program);

  try {
    await program.parseAsync(args, { from: "user" });
    return SUCCEEDED;
  } catch (error) {
    return exitCodeAfter(error, (message) => {
      stderr.write(`${message.split("\n").map(printable).join("\n")}\n`);
    });
  }
}
