import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";

/**
 * The environment of a function, apart from AWS services. Handlers are built from it and from AWS clients, so that a
 * simulation can supply its own.
 */
export interface Runtime {
  /** The environment variables. */
  readonly variables: NodeJS.ProcessEnv;
  readonly now: () => Date;
  /** At least 0 and less than 1. */
  readonly random: () => number;
  /** Returns `size` unpredictable bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Resolves after `ms` milliseconds. */
  readonly wait: (ms: number) => Promise<unknown>;
}

/** The runtime of this process. */
export const runtime: Runtime = {
  variables: process.env,
  now: () => new Date(),
  random: Math.random,
  randomBytes,
  wait,
};
