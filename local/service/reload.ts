import type { LocalStack } from "../local-stack.ts";

interface Reporter {
  say(text: string): void;
  complain(error: unknown): void;
  /** Whether the stack is being stopped: a Ctrl-C ends a synthesis too, and that is no failure. */
  isStopping(): boolean;
}

/** Reloads the stack after changes of these files, and says so, unless the stack is stopped meanwhile. */
export async function reload(
  stack: Pick<LocalStack, "reload">,
  [first, ...others]: readonly string[],
  { say, complain, isStopping }: Reporter,
): Promise<void> {
  if (isStopping()) return;
  say(`${first}${others.length > 0 ? ` and ${others.length} more` : ""} changed: reloading`);
  const startedAt = performance.now();
  try {
    await stack.reload();
    if (!isStopping()) say(`Reloaded in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  } catch (error) {
    if (isStopping()) return;
    complain(error);
    say("The previous version keeps running.");
  }
}
