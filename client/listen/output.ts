import type { Terminal } from "../terminal/terminal.ts";

/** A signal that is aborted with another one, or when the output is closed, as after `| head -1`. */
export function untilOutputCloses({ stdout, stderr }: Terminal, interrupted: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort();
  interrupted.addEventListener("abort", stop, { once: true });
  for (const stream of [stdout, stderr]) stream.once("error", stop);
  return controller.signal;
}
