import { type Figure, type Measured, type Results, ratioOf, shareOfGoal, type Unit } from "./figure.ts";

/** The benchmarks, in the order of the page. */
export const BENCHMARKS = [
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
  "push",
  "local-stack",
];

/** `docs/performance.md`: every figure beside its peer and its goal, with the command that measures it again. */
export function report(results: Results): string {
  const figures = Object.values(results).flatMap((measured) => measured.figures);
  const judged = figures.filter(({ goal }) => goal);
  const met = judged.filter((figure) => (shareOfGoal(figure) ?? 0) <= 1);
  const unrecorded = BENCHMARKS.filter((name) => !results[name]).map(
    (name) => `\`npm run bench -- ${name}\``,
  );
  return `# Performance

\`npm run bench\` makes all measurements in about twenty minutes, and writes this page. \`npm run bench -- <name>\` makes one of them, and \`--rounds 5\` records the medians of five runs. A figure and its peer are measured in turn in the same run, most of them in several rounds, of which each is the median, so other load on the machine affects both alike. Rely on the ratios; the times are specific to this machine. In the goals, ≤ means at most and ≥ means at least.

${met.length} of ${judged.length} goals are met. [Decision 0024](decisions/0024-cold-start.md) explains why the others are not.${unrecorded.length > 0 ? ` No figures are recorded yet for ${unrecorded.join(", ")}.` : ""}

![How much of its goal each figure takes](performance.svg)

${Object.entries(results)
  .map(([name, measured]) => section(name, measured))
  .join("\n")}`;
}

function section(
  name: string,
  { title, method, figures, measuredAt, machine, seconds, rounds }: Measured,
): string {
  const command = `npm run bench -- ${name}${rounds ? ` --rounds ${rounds}` : ""}`;
  return `## ${title}

${method}

\`${command}\`, ${rounds ? `medians of ${rounds} runs, ` : ""}${Math.round(seconds)} s. Measured ${measuredAt.slice(0, 10)} on ${machine}.

| | measured | against | ratio | goal | |
|---|---:|---:|---:|---:|---|
${figures.map(row).join("\n")}
`;
}

/** A figure as the cells of a table: name, value, peer, ratio, goal, and whether it is met. */
export function cells(figure: Figure): string[] {
  const { name, value, unit, peer, goal } = figure;
  const ratio = ratioOf(figure);
  const share = shareOfGoal(figure);
  return [
    name,
    quantity(value, unit),
    peer ? `${quantity(peer.value, unit)} (${peer.name})` : "",
    ratio === undefined ? "" : `${ratio.toFixed(2)} ×`,
    goal ? goalText(figure) : "",
    share === undefined ? "" : share <= 1 ? "met" : "not met",
  ];
}

function row(figure: Figure): string {
  return `| ${cells(figure)
    .join(" | ")
    .replace(/\bnot met$/, "**not met**")} |`;
}

function goalText({ goal, unit, peer }: Figure): string {
  if (!goal) return "";
  const [sign, limit] = "atMost" in goal ? ["≤", goal.atMost] : ["≥", goal.atLeast];
  const more = "orMoreBy" in goal ? ` or + ${quantity(goal.orMoreBy, unit)}` : "";
  return `${sign} ${peer ? `${limit} ×${more}` : quantity(limit, unit)}`;
}

function quantity(value: number, unit: Unit): string {
  const digits = Number.isInteger(value) || value >= 1_000 ? 0 : value >= 100 ? 1 : 2;
  const number = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === "×" ? `${number} ×` : `${number} ${unit}`;
}
