import { Command, CommanderError, Option } from "commander";
import { EnvironmentName } from "#runtime/environment";
import { addCandidateCommands } from "./candidates.ts";
import { CommandError } from "./command-error.ts";
import { addDeadLetterCommands, addDeliveryCommands, addKeyringCommands } from "./deliveries.ts";
import { addKeyCommands } from "./keys.ts";

/** Exit codes: the command failed; or its arguments are invalid. */
const FAILED = 1;
const MISUSED = 2;

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
  .exitOverride();

addCandidateCommands(program);
addDeadLetterCommands(program);
addDeliveryCommands(program);
addKeyCommands(program);
addKeyringCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : MISUSED;
  } else if (error instanceof CommandError) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = FAILED;
  } else {
    throw error;
  }
}
