import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { FUNCTION_VARIABLES } from "../../test/function-variables.ts";

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Its resident memory. */
  readonly kilobytes: number;
  readonly command: string;
}

/** A process and all that it has started. */
export async function processTree(root: number): Promise<Process[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "pid=,ppid=,rss=,args="]);
  const all = stdout
    .trim()
    .split("\n")
    .map((line): Process => {
      const [pid, parent, kilobytes, ...command] = line.trim().split(/\s+/);
      return {
        pid: Number(pid),
        parent: Number(parent),
        kilobytes: Number(kilobytes),
        command: command.join(" "),
      };
    });
  const startedBy = (parent: number): Process[] =>
    all.filter((each) => each.parent === parent).flatMap((child) => [child, ...startedBy(child.pid)]);
  return [...all.filter(({ pid }) => pid === root), ...startedBy(root)];
}

/** Starts a program of `processes/` that sends one message when it is ready: where it is reached. */
export async function startProcess<Ready>(
  name: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<{ readonly ready: Ready; stop(): Promise<void> }> {
  const child = fork(join(import.meta.dirname, "processes", name), {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const ready = await Promise.race([
    once(child, "message").then(([message]) => message as Ready),
    exited.then(() => Promise.reject(new Error(`${name} ended before it was ready.`))),
  ]);
  return {
    ready,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** The environment that a bundle finds itself in, with AWS at `url`. */
export function lambdaEnvironment(url: string): Record<string, string> {
  return {
    ...FUNCTION_VARIABLES,
    AWS_ACCESS_KEY_ID: "bench",
    AWS_SECRET_ACCESS_KEY: "bench",
    AWS_SESSION_TOKEN: "bench",
    AWS_ENDPOINT_URL: url,
    AWS_LAMBDA_LOG_FORMAT: "JSON",
    POWERTOOLS_SERVICE_NAME: "candidate-service",
    POWERTOOLS_METRICS_NAMESPACE: "bench",
  };
}
