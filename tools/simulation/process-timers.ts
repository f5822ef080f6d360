import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import type { Random } from "./random.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** What the replaced setTimeout returns. */
class VirtualTimeout {
  readonly cancel: () => void;

  constructor(cancel: () => void) {
    this.cancel = cancel;
  }

  unref(): this {
    return this;
  }
}

let isReplaced = false;

/**
 * Replaces the process's setTimeout, clearTimeout, performance.now and Math.random by those of a simulation while `run`
 * runs, for libraries that have timeouts and wait between retries, and for what measures how long something took. The
 * timers are replaced where they are imported from `node:timers` too. Only one simulation can run at a time, because
 * the process has these functions only once.
 *
 * The timers belong to no execution environment: they fire while it is frozen, and after it has ended. The network
 * then holds back what the environment sends.
 */
export async function withVirtualTimers<Result>(
  clock: VirtualClock,
  random: Random,
  run: () => Promise<Result>,
): Promise<Result> {
  if (isReplaced) throw new Error("Another simulation has replaced the timers of this process.");
  const { setTimeout, clearTimeout } = globalThis;
  const processRandom = Math.random;
  const processNow = performance.now;
  isReplaced = true;
  useTimers({
    // Node's setTimeout waits 1 ms at least.
    setTimeout: (callback: (...given: unknown[]) => void, ms = 1, ...given: unknown[]) =>
      new VirtualTimeout(clock.after(Math.max(1, ms), () => callback(...given))),
    clearTimeout: (timeout?: unknown) => {
      if (timeout instanceof VirtualTimeout) timeout.cancel();
      else clearTimeout(timeout as Parameters<typeof clearTimeout>[0]);
    },
  });
  Math.random = () => random.real();
  performance.now = () => clock.now();
  try {
    return await run();
  } finally {
    useTimers({ setTimeout, clearTimeout });
    Math.random = processRandom;
    performance.now = processNow;
    isReplaced = false;
  }
}

function useTimers(used: object): void {
  Object.assign(globalThis, used);
  Object.assign(timers, used);
  syncBuiltinESMExports();
}
