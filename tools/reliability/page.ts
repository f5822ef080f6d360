import { INVARIANTS } from "../simulation/invariants/invariants.ts";
import type { Records } from "./records.ts";

/** `docs/reliability.md`, from what the searches have seen. */
export function pageOf({ stories, storiesWithSdk, mistakes = {}, mutants = {} }: Records): string {
  return `# Reliability

What the service promises under faults, how each promise is searched for, and how much was searched. The commands write this page; each row names the commit that it was run on.

## What is promised

Each sentence is a function in [tools/simulation/invariants](../tools/simulation/invariants), and is judged at the end of every story.

${INVARIANTS.map(({ sentence }) => `- ${sentence}`).join("\n")}

## How it is searched for

\`npm run simulation\` runs the handlers of \`functions/\` on simulated AWS and a virtual clock ([decision 0035](decisions/0035-simulation.md)). A seed determines a story of ten operations and more with at least two faults, and every choice in it: requests and responses are lost, late, refused or throttled, batches are partly refused, execution environments end before and after requests and in between, consumers of queues are throttled, records and messages are handed over twice, clocks are a second apart, receivers fail, hang or lose their responses, a service is down for hours. After that nothing goes wrong any more, days pass, and the promises are judged. A seed that breaks one is reduced to the steps and faults that it takes, and printed as a timeline.

| search | stories | operations | faults | deliveries | broken promises | commit |
|---|---:|---:|---:|---:|---:|---|
${storiesRow("`npm run simulation`", stories)}
${storiesRow("`npm run simulation -- --clients sdk`, through the SDK's own clients", storiesWithSdk)}

## Whether it finds anything

${mistakesText(mistakes)}

## What the tests notice

\`npm run mutants\` breaks \`lib/candidates\`, \`lib/webhooks\` and \`lib/contract\` in one place after the other and runs the tests ([Stryker](https://stryker-mutator.io)); what no test reaches counts as survived. [Why mutants survive](../tools/mutants/survivors.json).

${mutantsTable(mutants)}

## On real engines

\`npm run test:long\` runs \`npm start\` behind a proxy that loses, throttles, resets and delays the functions' requests to DynamoDB Local, creates 3,000 candidates meanwhile, and kills the service and its engine at random moments ([the invariants](../test/crash/invariants.ts)). It sends 2,000 requests that Schemathesis makes up from the description, and loads the description in validators of other languages.

## What is not covered

- AWS itself: the simulation is held against DynamoDB Local, against another SQS engine and against the SDK, by tests, and no further.
- API Gateway, the authorizer, the web ACL and the CDK's permissions: the contract tests and the rehearsal have these.
- The network below HTTP: connections, TLS, name resolution and the address guard of deliveries have tests of their own.
- Operations that only show or list, and the reserved concurrency of functions.
- Two regions, restores, and deployments while requests run.
- Damaged items: of what is stored only documents in parts are changed, after the end of a story.
`;
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
    "[test/simulation/mistakes](../test/simulation/mistakes) has plausible mistakes as patches, written in sets by people who did not know the simulation, but for the last six ([decision 0035](decisions/0035-simulation.md) says what each set found when it was new). `npm run simulation:mistakes` applies each to a copy of the project and searches there.";
  const seen = Object.entries(mistakes);
  if (seen.length === 0) return `${what} Not run yet.`;
  const found = seen.filter(([, { foundBy }]) => foundBy !== undefined);
  const seeds = Math.max(...seen.map(([, each]) => each.seeds));
  const commits = [...new Set(seen.map(([, { commit }]) => commit))].join(", ");
  const missed = seen.filter(([, { foundBy }]) => foundBy === undefined).map(([name]) => `- ${name}`);
  const rest = missed.length === 0 ? "" : `\n\nNot found:\n\n${missed.toSorted().join("\n")}`;
  return `${what} Of ${seen.length} it found ${found.length} within ${seeds.toLocaleString("en")} seeds (on ${commits}).${rest}`;
}
