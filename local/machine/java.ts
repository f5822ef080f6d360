import { CommandError } from "./command-error.ts";
import { runCommand } from "./run-command.ts";

/** AWS tests DynamoDB Local 2.x and 1.25 on Java 17 and newer. */
const OLDEST_JAVA = 17;

/**
 * Checks that `java` on the PATH can run DynamoDB Local.
 *
 * @throws CommandError if it is missing or too old
 */
export async function requireJava(): Promise<void> {
  const advice = `Install Java ${OLDEST_JAVA} or newer and put it on the PATH, or set DYNAMODB_ENDPOINT to a DynamoDB Local that is running.`;
  let output: string;
  try {
    const { stdout, stderr } = await runCommand("java", ["-version"]);
    output = `${stderr}${stdout}`;
  } catch (error) {
    throw new CommandError(`DynamoDB Local needs Java, but ${failureOf(error)} ${advice}`);
  }
  const version = majorVersionOf(output);
  if (version === undefined || version < OLDEST_JAVA) {
    throw new CommandError(
      `DynamoDB Local needs Java ${OLDEST_JAVA}, but java on the PATH is ${version ?? "of an unknown version"}. ${advice}`,
    );
  }
}

/** For example an option of JAVA_TOOL_OPTIONS that Java does not know. */
function failureOf(error: unknown): string {
  const printed = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return printed === ""
    ? "no java was found."
    : `java -version failed: ${printed.replaceAll(/\s*\n\s*/g, " ")}`;
}

/** The major version in the output of `java -version`: `"17.0.15"` is 17, `"1.8.0_402"` is 8. */
function majorVersionOf(output: string): number | undefined {
  const match = /version "(?:1\.)?(\d+)/.exec(output);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
