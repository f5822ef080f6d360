import { processTree } from "./processes.ts";

/** The resident memory of a process and of all that it has started, in MB. */
export async function residentMegabytes(root: number): Promise<number> {
  const processes = await processTree(root);
  return processes.reduce((sum, { kilobytes }) => sum + kilobytes, 0) / 1_000;
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
