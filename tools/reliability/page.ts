import { readdirSync } from "node:fs";
import { INVARIANTS } from "../simulation/invariants/invariants.ts";
import type { Records } from "./records.ts";

/** `docs/reliability.md`, from the results of the searches. */
export function pageOf({
  stories,
  storiesWithSdk,
  mistakes = {},
  mutants = {},
  generatedRequests,
}: Records): string {
  return `# Reliability

This page lists what the service guarantees under faults, and shows how searches for violations work and how much they have covered. Commands generate this page; each row contains the commit on which its command was run.

## Guarantees

A function in [tools/simulation/invariants](../tools/simulation/invariants) checks each of these sentences at the end of every story.

${INVARIANTS.map(({ sentence }) => `- ${sentence}`).join("\n")}

## How the searches work

${searchesText(stories, storiesWithSdk)}

## How many known mistakes the simulation finds

${mistakesText(mistakes)}

## How many mutants the tests kill

\`npm run mutants\` changes \`lib/candidates\`, \`lib/webhooks\` and \`lib/contract\` in one place at a time and runs the tests ([Stryker](https://stryker-mutator.io)). Mutants in code that no test reaches count as survivors. The accepted survivors and the reasons are in [survivors.json](../tools/mutants/survivors.json).

${mutantsTable(mutants)}

## Tests on real engines

\`npm run test:long\` runs \`npm start\` with a proxy in front of DynamoDB Local that loses, throttles, resets and delays the functions' requests. Meanwhile it creates 3,000 candidates, and kills the service and its engine at random moments ([the invariants](../test/crash/invariants.ts)). It also sends 2,000 requests that Schemathesis generates from the OpenAPI description, and loads the description in validators for other languages.

${requestsText(generatedRequests)}

## What is not covered

- AWS itself: tests compare the simulation only with DynamoDB Local, with another SQS engine and with the SDK.
- API Gateway, the authorizer, the web ACL and the permissions of functions: the end-to-end tests and the rehearsal cover these.
- The network below HTTP: connections, TLS, name resolution and the address guard of deliveries have separate tests.
- The platform's functions that show, list or resend, API keys, the sandbox, the operations that return one webhook endpoint or recovery, refused methods and the documentation; the reserved concurrency of functions.
- Several regions, restores, and deployments while requests arrive: only events of a newer version occur.
- Damaged items: only documents in parts are damaged, after the end of a story.
`;
}

function searchesText(stories: Records["stories"], storiesWithSdk: Records["storiesWithSdk"]): string {
  return `\`npm run simulation\` runs the handlers of \`functions/\` on simulated AWS and a virtual clock ([decision 0035](decisions/0035-simulation.md)). A seed determines a story, with every choice in it. A story has ten or more operations and at least two faults:

- Requests and responses are lost, delayed, refused or throttled, batches are partly refused, and transactions conflict.
- Execution environments end before, after or between requests.
- Consumers of queues are throttled, and records and messages are delivered twice.
- Clocks differ by a second.
- Callers send requests twice.
- Receivers fail, hang or lose their responses, and send long, slow or incomplete bodies.
- An AWS service is down for hours.
- Records of the table's stream contain events of an unknown type, until a newer version of the code is deployed.
- Items are removed as soon as they expire.

Then the faults stop, days pass, and the guarantees are checked. A story that violates one is reduced to the steps and faults that are necessary for the violation, and printed as a timeline.

| search | stories | operations | faults | deliveries | violations | commit |
|---|---:|---:|---:|---:|---:|---|
${storiesRow("`npm run simulation`", stories)}
${storiesRow("`npm run simulation -- --clients sdk`, through the SDK's own clients", storiesWithSdk)}`;
}

function requestsText(seen: Records["generatedRequests"]): string {
  if (!seen) return "`npm run schemathesis -- --record`, which sends more of them, has not run.";
  const { requests, commit, date } = seen;
  return `\`npm run schemathesis\` sends more of them, and ends at the first 5xx or disagreement with the description. It last sent ${requests.toLocaleString("en")} requests and found none (${commit}, ${date}).`;
}

function storiesRow(search: string, seen: Records["stories"]): string {
  if (!seen) return `| ${search} | – | – | – | – | – | not run yet |`;
  const { stories, operations, faults, deliveries, broken, commit, date } = seen;
  const figures = [stories, operations, faults, deliveries, broken].map((figure) =>
    figure.toLocaleString("en"),
  );
  return `| ${search} | ${figures.join(" | ")} | ${commit}, ${date} |`;
}

function mutantsTable(mutants: NonNullable<Records["mutants"]>): string {
  const files = Object.entries(mutants).toSorted(([left], [right]) => (left < right ? -1 : 1));
  if (files.length === 0) return "Not run yet.";
  const sum = (of: "killed" | "mutants") => files.reduce((total, [, seen]) => total + seen[of], 0);
  const all = `All ${files.length} files that have run: ${share(sum("killed"), sum("mutants"))}.`;
  const rows = files.map(
    ([file, { killed, mutants: count, commit, date }]) =>
      `| ${file} | ${share(killed, count)} | ${commit}, ${date} |`,
  );
  return `${all}\n\n| file | killed | commit |\n|---|---|---|\n${rows.join("\n")}`;
}

function share(killed: number, mutants: number): string {
  const percent = mutants === 0 ? "" : ` (${((100 * killed) / mutants).toFixed(1)} %)`;
  return `${killed.toLocaleString("en")} of ${mutants.toLocaleString("en")}${percent}`;
}

function mistakesText(mistakes: NonNullable<Records["mistakes"]>): string {
  const what =
    "[test/simulation/mistakes](../test/simulation/mistakes) contains plausible mistakes as patches. They were written in sets, all but the last six by people who did not know the simulation ([decision 0035](decisions/0035-simulation.md) contains the first result for each set). `npm run simulation:mistakes` applies each patch to a copy of the project and searches there.";
  const seen = Object.entries(mistakes);
  if (seen.length === 0) return `${what} Not run yet.`;
  const found = seen.filter(([, { foundBy }]) => foundBy !== undefined);
  const seeds = Math.max(...seen.map(([, each]) => each.seeds));
  const commits = [...new Set(seen.map(([, { commit }]) => commit))].join(", ");
  const missed = seen.filter(([, { foundBy }]) => foundBy === undefined).map(([name]) => `- ${name}`);
  const rest = missed.length === 0 ? "" : `\n\nNot found:\n\n${missed.toSorted().join("\n")}`;
  const { length } = readdirSync(new URL("../../test/simulation/mistakes", import.meta.url));
  return `${what} Of ${length} mistakes it searched for ${seen.length}, and found ${found.length} within ${seeds.toLocaleString("en")} seeds (on ${commits}).${rest}`;
}
