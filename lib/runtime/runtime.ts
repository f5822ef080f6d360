import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";

/**
 * What a function finds where it runs, AWS's services aside. Handlers are built from it and from their clients, so
 * that a simulation can build them from its own.
 */
export interface Runtime {
  /** The environment variables. */
  readonly variables: NodeJS.ProcessEnv;
  readonly now: () => Date;
  /** At least 0 and less than 1. */
  readonly random: () => number;
  /** As many unpredictable bytes as `size` says. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Ends after `ms` milliseconds. */
  readonly wait: (ms: number) => Promise<unknown>;
}

/** The process's own. */
export const runtime: Runtime = {
  variables: process.env,
  now: () => new Date(),
  random: Math.random,
  randomBytes,
  wait,
};
