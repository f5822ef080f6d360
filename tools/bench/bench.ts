/**
 * `npm run bench`: measures every benchmark, or those that are named, each in a process of its own, and
 * writes docs/performance.json, .md and .svg. `npm run bench -- --report` only writes the page and the chart.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import Table from "cli-table3";
import { chart } from "./chart.ts";
import type { Measured, Results } from "./figure.ts";
import { cells, report } from "./report.ts";

/** The order in which the page tells them. */
const BENCHMARKS = [
  "cold-start",
  "bundles",
  "warm",
  "validation",
  "worst-bodies",
  "storage",
  "delivery",
  "hanging-receivers",
  "slow-neighbours",
  "end-to-end",
];

const documents = join(import.meta.dirname, "../../docs");
const file = (ending: string) => join(documents, `performance.${ending}`);
const asked = process.argv.slice(2);
const names = asked.filter((argument) => argument !== "--report");

const unknown = names.filter((name) => !BENCHMARKS.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no benchmark ${unknown.join(", ")}. There are: ${BENCHMARKS.join(", ")}.\n`);
  process.exit(2);
}

let results: Results = existsSync(file("json")) ? JSON.parse(readFileSync(file("json"), "utf8")) : {};
if (!asked.includes("--report")) {
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

/** In a process of its own: what one benchmark compiles, keeps and heats is not the next one's. */
async function measure(name: string): Promise<Measured> {
  const startedAt = new Date();
  const child = fork(join(import.meta.dirname, "measure.ts"), [name], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const told = once(child, "message");
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${name} ended with ${code}.`);
  const [{ title, method, figures }] = await told;
  return {
    title,
    method,
    measuredAt: startedAt.toISOString(),
    machine: `${cpus()[0]?.model.trim() || process.arch}, ${cpus().length} cores, Node ${process.versions.node}`,
    seconds: (Date.now() - startedAt.getTime()) / 1_000,
    figures,
  };
}

function write(measured: Results): void {
  const ordered = Object.fromEntries(
    BENCHMARKS.flatMap((name) => (measured[name] ? [[name, measured[name]]] : [])),
  );
  writeFileSync(file("json"), `${JSON.stringify(ordered, undefined, 2)}\n`);
  writeFileSync(file("md"), report(ordered));
  writeFileSync(file("svg"), chart(ordered));
}
