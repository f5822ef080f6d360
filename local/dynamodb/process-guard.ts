/**
 * Runs a command while its own standard input stays open. When the process that started it ends, however that happens,
 * the operating system closes that pipe, and the command is ended.
 */
import { spawn } from "node:child_process";

/** How long the command may take to exit before it is killed, in ms. */
const PATIENCE_MS = 5_000;

const [command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });

function end(): void {
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS).unref();
}

process.stdin.resume().once("close", end);
process.once("SIGTERM", end);
process.once("SIGINT", end);
child.once("error", () => process.exit(1));
child.once("exit", (code) => process.exit(code ?? 1));
