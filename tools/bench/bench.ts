/**
 * `npm run bench`: measures every benchmark, or those that are named, each in a process of its own, and
 * writes tools/bench/performance.json, docs/performance.md and its chart. With `--rounds 5` each is run five times, and its figures are medians.
 * `npm run bench -- --report` only writes the page and the chart.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import { chart } from "./chart.ts";
import { type Benchmark, type Figure, type Measured, mediansOf, type Results } from "./figure.ts";
import { BENCHMARKS, cells, report } from "./report.ts";

/** What one run of a benchmark sends. */
type Run = Pick<Benchmark, "title" | "method"> & { readonly figures: readonly Figure[] };

const RESULTS_FILE = join(import.meta.dirname, "performance.json");
const document = (ending: string) => join(import.meta.dirname, `../../docs/performance.${ending}`);
const { values: asked, positionals: names } = parseArgs({
  options: { report: { type: "boolean" }, rounds: { type: "string", default: "1" } },
  allowPositionals: true,
});
const rounds = Number(asked.rounds);
if (!(Number.isInteger(rounds) && rounds > 0)) {
  process.stderr.write("--rounds must be a whole number of at least 1.\n");
  process.exit(2);
}

const unknown = names.filter((name) => !BENCHMARKS.includes(name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no benchmark ${unknown.join(", ")}. Choose from ${BENCHMARKS.join(", ")}.\n`,
  );
  process.exit(2);
}

let results: Results = existsSync(RESULTS_FILE) ? JSON.parse(readFileSync(RESULTS_FILE, "utf8")) : {};
if (!asked.report) {
  for (const name of names.length > 0 ? names : BENCHMARKS) {
    process.stdout.write(`\n${name}\n`);
    const measured = await measure(name);
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

async function measure(name: string): Promise<Measured> {
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
