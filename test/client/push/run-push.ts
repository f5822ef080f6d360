import { vi } from "vitest";
import { aSubmission } from "../../builders/submission.ts";
import type { ProgramResult } from "../../program.ts";
import { commandHere } from "../command-here.ts";

export const submissions = (count: number) =>
  Array.from({ length: count }, (_, at) => aSubmission({ externalId: `ext-${at + 1}` }));

export const key = "rr_dev_secret";

export function environmentOf({ baseUrl }: { readonly baseUrl: string }) {
  return { CANDIDATES_URL: baseUrl, CANDIDATES_API_KEY: key };
}

interface Dependencies {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs `candidates push` in this process, with no other variables of the command than the given ones. */
export async function push(
  args: readonly string[],
  { env = {}, input }: Dependencies = {},
): Promise<ProgramResult> {
  const variables = { CANDIDATES_URL: undefined, CANDIDATES_API_KEY: undefined, ...env };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  try {
    return await commandHere(["push", ...args], input).ended;
  } finally {
    vi.unstubAllEnvs();
  }
}
