import { execFile } from "node:child_process";
import { promisify } from "node:util";

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly kilobytes: number;
}

/** The resident memory of a process and of all that it has started, in MB. */
export async function residentMegabytes(root: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,rss="]);
  const all = stdout
    .trim()
    .split("\n")
    .map((line): Process => {
      const [pid = 0, parent = 0, kilobytes = 0] = line.trim().split(/\s+/).map(Number);
      return { pid, parent, kilobytes };
    });
  const sum = (pid: number): number =>
    all
      .filter((each) => each.parent === pid)
      .reduce((total, child) => total + sum(child.pid), all.find((each) => each.pid === pid)?.kilobytes ?? 0);
  return sum(root) / 1_000;
}

/** Watches the resident memory of a process and its children until it is asked for the most that it was, in MB. */
export function watchMemory(root: number): () => Promise<number> {
  let peak = 0;
  let looking = Promise.resolve();
  const look = () => {
    looking = residentMegabytes(root).then((now) => {
      peak = Math.max(peak, now);
    });
  };
  const timer = setInterval(look, 1_000);
  return async () => {
    clearInterval(timer);
    look();
    await looking;
    return peak;
  };
}
