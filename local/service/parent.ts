/** How often it is checked, in ms. */
const CHECK_MS = 500;

/** Calls `onOrphaned` once the process that started this one has ended: npm cannot pass on a SIGKILL. */
export function watchParent(onOrphaned: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onOrphaned();
  }, CHECK_MS);
  timer.unref();
}
