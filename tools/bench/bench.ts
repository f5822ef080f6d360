/** The command behind `npm run bench`. Each benchmark runs in a process of its own. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import Table from "cli-table3";
import { Argument, program } from "commander";
import { wholeNumber } from "../whole-number.ts";
import { chart } from "./chart.ts";
import { type Benchmark, type Figure, type Measured, mediansOf, type Results } from "./figure.ts";
import { BENCHMARKS, cells, report } from "./report.ts";

/** What one run of a benchmark sends. */
type Run = Pick<Benchmark, "title" | "method"> & { readonly figures: readonly Figure[] };

const RESULTS_FILE = join(import.meta.dirname, "performance.json");
const document = (ending: string) => join(import.meta.dirname, `../../docs/performance.${ending}`);

interface Options {
  readonly rounds: number;
  readonly report: boolean;
}

await program
  .name("npm run bench --")
  .description("Measures, and writes docs/performance.md and its chart.")
  .addArgument(new Argument("[names...]", "benchmarks").choices(BENCHMARKS).default(BENCHMARKS, "all"))
  .option("--rounds <number>", "run each so often, for medians", wholeNumber, 1)
  .option("--report", "only write the page and its chart", false)
  .action(bench)
  .parseAsync();

async function bench(names: readonly string[], { rounds, report: isReportOnly }: Options): Promise<void> {
  let results: Results = existsSync(RESULTS_FILE) ? JSON.parse(readFileSync(RESULTS_FILE, "utf8")) : {};
  if (!isReportOnly) {
    for (const name of names) {
      process.stdout.write(`\n${name}\n`);
      const measured = await measure(name, rounds);
      results = { ...results, [name]: measured };
      write(results);
      const table = new Table({
        head: ["", "measured", "against", "ratio", "goal", ""],
        style: { head: [], border: [], compact: true },
      });
      table.push(...measured.figures.map((figure) => cells(figure)));
      process.stdout.write(`${table}\n`);
    }
  }
  write(results);
}

async function measure(name: string, rounds: number): Promise<Measured> {
  const startedAt = new Date();
  const runs: Run[] = [];
  while (runs.length < rounds) runs.push(await run(name));
  const [{ title, method }] = runs as [Run];
  return {
    title,
    method,
    measuredAt: startedAt.toISOString(),
    machine: `${cpus()[0]?.model.trim() || process.arch}, ${cpus().length} cores, Node ${process.versions.node}`,
    seconds: (Date.now() - startedAt.getTime()) / 1_000,
    ...(rounds > 1 && { rounds }),
    figures: mediansOf(runs.map(({ figures }) => figures)),
  };
}

/** In a process of its own: what one run compiles, keeps and heats is not the next one's. */
async function run(name: string): Promise<Run> {
  const child = fork(join(import.meta.dirname, "measure.ts"), [name], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const message = once(child, "message");
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${name} ended with ${code}.`);
  const [measured] = await message;
  return measured;
}

function write(measured: Results): void {
  const ordered = Object.fromEntries(
    BENCHMARKS.flatMap((name) => (measured[name] ? [[name, measured[name]]] : [])),
  );
  writeFileSync(RESULTS_FILE, `${JSON.stringify(ordered, undefined, 2)}\n`);
  writeFileSync(document("md"), report(ordered));
  writeFileSync(document("svg"), chart(ordered));
}
