/** A signal that is aborted when another one is, or when nobody reads the output any more, as after `| head -1`. */
export function untilOutputCloses(interrupted: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort();
  interrupted.addEventListener("abort", stop, { once: true });
  for (const stream of [process.stdout, process.stderr]) stream.once("error", stop);
  return controller.signal;
}
