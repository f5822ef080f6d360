/**
 * Runs a command for as long as its own standard input stays open: when the process that started it is gone,
 * however it died, the operating system closes that pipe and the command is ended.
 */
import { spawn } from "node:child_process";

/** How long the command may take to end by itself, in ms, before it is killed. */
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
