import * as z from "zod";
import type { LocalFunction } from "../lambda/local-function.ts";
import { CommandError } from "../machine/command-error.ts";
import { readKept, writePrivately } from "../machine/kept-file.ts";

const Organisation = z.object({ orgId: z.string(), name: z.string(), apiKey: z.string() });

/** An organisation of the local stack, with its own key. */
export type Organisation = z.infer<typeof Organisation>;

const Credentials = z.object({
  baseUrl: z.string(),
  invokeUrl: z.string(),
  organisations: z.array(Organisation).length(2),
});

/** The contents of credentials.json, which programs need to call the local stack. */
export type Credentials = z.infer<typeof Credentials>;

/** Two, so that the isolation of organisations can be tested. */
const ORGANISATIONS = [
  { orgId: "acme-talent", name: "Acme Talent" },
  { orgId: "globex-careers", name: "Globex Careers" },
] as const;

const REMEDY = "Correct it, or delete it: npm start then issues new keys.";

/**
 * The organisations that an earlier start stored, with their keys; undefined if there are none.
 *
 * @throws CommandError if the file is damaged
 */
export function keptOrganisations(file: string): readonly Organisation[] | undefined {
  return readKept(file, Credentials, REMEDY)?.organisations;
}

/** Issues a key to each organisation, using the assembly's own function. */
export async function issueKeys(functions: Iterable<LocalFunction>): Promise<Organisation[]> {
  const issueApiKey = [...functions].find(({ definition }) => definition.name.endsWith("-issue-api-key"));
  if (!issueApiKey) {
    throw new CommandError("The template has no function issue-api-key, which issues the local keys.");
  }
  return Promise.all(
    ORGANISATIONS.map(async (organisation) => {
      const issue = (newOrganisation: boolean) =>
        issueApiKey.invoke(
          JSON.stringify({ orgId: organisation.orgId, newOrganisation, name: "local stack" }),
        );
      const first = await issue(true);
      // If only credentials.json was deleted, the organisation already exists.
      const { payload, functionError } = first.functionError ? await issue(false) : first;
      if (functionError) {
        throw new CommandError(`issue-api-key failed, so no key could be issued: ${payload}`);
      }
      const { apiKey } = z.object({ apiKey: z.string() }).parse(JSON.parse(payload));
      return { ...organisation, apiKey };
    }),
  );
}

export function writeCredentials(file: string, credentials: Credentials): void {
  writePrivately(file, `${JSON.stringify(credentials, undefined, 2)}\n`);
}
