import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { Option, program } from "commander";
import { loadDeployment, synthesiseDeployment } from "../simulation/deployment.ts";
import { narrate } from "../simulation/narration.ts";
import type { ClientKind, TrialResult } from "../simulation/search.ts";
import type { ThreadTask } from "../simulation/searching-thread.ts";
import { shrink } from "../simulation/shrink.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { wholeNumber } from "../whole-number.ts";
import { commitUnderTest, record } from "./recording.ts";

interface Options {
  readonly seeds: number;
  readonly from: number;
  readonly clients: ClientKind;
  readonly threads: number;
  readonly untilFound: boolean;
  readonly assembly?: string;
  readonly brief: boolean;
  readonly record: boolean;
}

program
  .name("npm run simulation --")
  .description("Searches for stories that break an invariant of the service, on simulated AWS.")
  .option("--seeds <number>", "the number of stories", wholeNumber, 1_000)
  .option("--from <number>", "the seed of the first story", wholeNumber, 1)
  .addOption(
    new Option("--clients <kind>", "the AWS SDK's own clients, or faster ones that imitate them")
      .choices(["sdk", "plain"])
      .default("plain"),
  )
  .option("--threads <number>", "the number of stories that run at once", wholeNumber, availableParallelism())
  .option("--assembly <folder>", "the assembly to run, if it is already synthesised")
  .option("--brief", "print no story", false)
  .option("--record", "record the results in docs/reliability.md", false)
  .option("--until-found", "end at the first story that breaks an invariant", false)
  .action(run);
await program.parseAsync();

async function run(options: Options): Promise<void> {
  const commit = options.record ? commitUnderTest() : undefined;
  if (options.assembly !== undefined) return searchIn(options.assembly, options, commit);
  const directory = temporaryFolder("simulation-");
  await synthesiseDeployment(directory);
  await searchIn(directory, options, commit);
}

/** @param commit the commit in whose name the results are recorded, if they are */
async function searchIn(
  directory: string,
  { seeds, from, clients, threads, untilFound, brief }: Options,
  commit: string | undefined,
): Promise<void> {
  const startedAt = performance.now();
  const results: TrialResult[] = [];
  const cancellation = new AbortController();
  const onResult = (result: TrialResult) => {
    results.push(result);
    if (untilFound && result.breaches.length > 0) cancellation.abort();
    if (results.length % 1_000 === 0) print(`${results.length} stories`);
  };
  await Promise.all(
    Array.from({ length: Math.min(threads, seeds) }, (_, index) =>
      searchWith(
        { directory, clients, from: from + index, until: from + seeds, step: Math.min(threads, seeds) },
        onResult,
        cancellation.signal,
      ),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const sum = (of: (result: TrialResult) => number) =>
    results.reduce((total, result) => total + of(result), 0);
  print(
    `${results.length} stories in ${seconds.toFixed(0)} s: ${sum(({ operations }) => operations)} operations, ${sum(({ faults }) => faults)} faults, ${sum(({ deliveries }) => deliveries)} deliveries`,
  );
  const found = results
    .filter(({ breaches }) => breaches.length > 0)
    .toSorted((left, right) => left.seed - right.seed);
  print(`${found.length} of them break an invariant`);
  if (commit !== undefined) {
    record(clients === "sdk" ? "storiesWithSdk" : "stories", {
      commit,
      stories: results.length,
      operations: sum(({ operations }) => operations),
      faults: sum(({ faults }) => faults),
      deliveries: sum(({ deliveries }) => deliveries),
      broken: found.length,
    });
  }
  const [first, ...others] = found;
  if (!first) return;
  process.exitCode = 1;
  for (const { seed, breaches } of others.slice(0, 20))
    print(`seed ${seed}: ${breaches.map(({ sentence }) => sentence).join(" ")}`);
  for (const { sentence, evidence } of first.breaches)
    print(`seed ${first.seed}: ${sentence}\n  ${evidence.join("\n  ")}`);
  const [breach] = first.breaches;
  if (!breach || brief) return;
  const deployment = await loadDeployment(directory);
  print(`The smallest part of the story of seed ${first.seed} that breaks it:`);
  print(narrate(await shrink({ deployment, clients }, first.seed, breach.sentence)));
}

/** @throws Error if the thread ends before its last story, for example because a story waits for what never comes */
async function searchWith(
  task: ThreadTask,
  onResult: (result: TrialResult) => void,
  signal: AbortSignal,
): Promise<void> {
  const thread = new Worker(new URL("../simulation/searching-thread.ts", import.meta.url), {
    workerData: task,
  });
  signal.addEventListener("abort", () => thread.postMessage("end"));
  thread.on("message", onResult);
  const [code] = await once(thread, "exit");
  if (code !== 0) throw new Error(`A thread of the search ended with ${code} before its last story.`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
