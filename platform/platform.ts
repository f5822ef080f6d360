import { explainUnwritableOutput } from "../client/terminal/unwritable-output.ts";
import { run } from "./run.ts";

explainUnwritableOutput();
const exitCode = await run(process.argv.slice(2), process);
// Unless the output could not be written.
process.exitCode ??= exitCode;
