/** What the benchmarks measure, and how figures are compared with their goals and their peers. */

export type Unit = "B" | "kB" | "MB" | "ms" | "µs" | "per second" | "units" | "requests" | "%" | "×";

/** One thing measured, in the same run as its peer. */
export interface Figure {
  /** What was measured, in the words of the table. */
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  /** What it is compared with. */
  readonly peer?: { readonly name: string; readonly value: number };
  readonly goal?: Goal;
}

/** A limit: of the ratio to the peer where there is one, of the value itself where there is none. */
export type Goal =
  | {
      readonly atMost: number;
      /** How much more than the peer the value may be instead, in its unit. */
      readonly orMoreBy?: number;
    }
  | { readonly atLeast: number };

/** A benchmark: a file in `benchmarks/`, which `npm run bench -- <its name>` runs alone. */
export interface Benchmark {
  readonly title: string;
  /** What was done, so that a reader knows what the figures mean. */
  readonly method: string;
  measure(): Promise<readonly Figure[]>;
}

export interface Measured {
  readonly title: string;
  readonly method: string;
  /** ISO 8601. */
  readonly measuredAt: string;
  readonly machine: string;
  readonly seconds: number;
  /** How many runs the figures are medians of; absent for a single one. */
  readonly rounds?: number;
  readonly figures: readonly Figure[];
}

/** Every benchmark's last run, by its name: `tools/bench/performance.json`. */
export type Results = Readonly<Record<string, Measured>>;

/** The figure against its peer, or undefined where it has none. */
export function ratioOf({ value, peer }: Figure): number | undefined {
  return peer && value / peer.value;
}

/** How much of its goal a figure takes: 1 is the goal itself, less is better. */
export function shareOfGoal(figure: Figure): number | undefined {
  const { goal, value, peer } = figure;
  if (!goal) return undefined;
  const judged = ratioOf(figure) ?? value;
  if ("atLeast" in goal) return goal.atLeast / judged;
  const { atMost, orMoreBy } = goal;
  const atMostOrMore = peer && orMoreBy !== undefined ? 1 + orMoreBy / peer.value : atMost;
  return judged / Math.max(atMost, atMostOrMore);
}

/**
 * The figures, if each has a value: the delay of an event that does not arrive is infinite, which JSON cannot record.
 *
 * @throws Error that names a figure without a value
 */
export function withValues(figures: readonly Figure[]): readonly Figure[] {
  for (const { name, value, peer } of figures) {
    if (!Number.isFinite(value) || !Number.isFinite(peer?.value ?? 0)) {
      throw new Error(`There is no value of "${name}". Measure again, on a machine that is less busy.`);
    }
  }
  return figures;
}

/** The figures of several runs of a benchmark as one: the median of each, and of its peer. */
export function mediansOf(runs: readonly (readonly Figure[])[]): Figure[] {
  const [first = []] = runs;
  return first.map((figure) => {
    const same = runs.flatMap((run) => run.filter(({ name }) => name === figure.name));
    const value = median(same.map((each) => each.value));
    const { peer } = figure;
    if (!peer) return { ...figure, value };
    return {
      ...figure,
      value,
      peer: { ...peer, value: median(same.flatMap((each) => each.peer?.value ?? [])) },
    };
  });
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value that a share of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}

/**
 * Runs each case once per round, so that whatever else the machine does meets all of them alike.
 *
 * @returns the median of each case's results
 */
export async function interleaved<Name extends string>(
  rounds: number,
  cases: Readonly<Record<Name, () => number | Promise<number>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(cases) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) results[name].push(await cases[name]());
  }
  return Object.fromEntries(names.map((name) => [name, median(results[name])])) as Record<Name, number>;
}

/** The processor time that `work` takes, in ms, of all threads of this process. */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
