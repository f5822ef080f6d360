import { scaleLinear } from "d3-scale";
import { type Results, shareOfGoal } from "./figure.ts";

const WIDTH = 1000;
const ROW = 22;
const BAR = 12;
/** Where the bars begin, to the right of their names, and where the axis ends. */
const [LEFT, RIGHT] = [550, WIDTH - 48];
const TOP = 44;
/** As many letters of a name as fit beside the bars. */
const NAME_LENGTH = 92;

const MET = "#2f7d5b";
const MISSED = "#b3541e";
const TEXT = "#54555a";
const GRID = "#dbdee4";

interface Bar {
  readonly name: string;
  readonly share: number;
}

/** `docs/performance.svg`: how much of its goal each figure takes; what reaches beyond the line misses it. */
export function chart(results: Results): string {
  const bars = Object.values(results).flatMap(({ title, figures }) =>
    figures.flatMap((figure): Bar[] => {
      const share = shareOfGoal(figure);
      return share === undefined ? [] : [{ name: `${title}: ${figure.name}`, share }];
    }),
  );
  const bottom = TOP + ROW * bars.length;
  const axis = scaleLinear()
    .domain([0, Math.max(1.25, ...bars.map(({ share }) => share))])
    .rangeRound([LEFT, RIGHT]);
  const ticks = axis
    .ticks(6)
    .flatMap((tick) => [line(axis(tick), GRID), axisLabel(axis(tick), bottom + 14, String(tick))]);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${bottom + 28}" viewBox="0 0 ${WIDTH} ${bottom + 28}" font-family="sans-serif" font-size="11" fill="${TEXT}">`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="8" y="22" font-size="15" font-weight="bold">How much of its goal each figure takes</text>`,
    ...ticks,
    ...bars.map((bar, row) => drawn(bar, TOP + ROW * row, axis)),
    line(axis(1), "#333333"),
    axisLabel(axis(1), TOP - 6, "goal"),
    "</svg>",
  ].join("\n")}\n`;

  function line(x: number, colour: string): string {
    return `<path d="M${x} ${TOP}V${bottom}" stroke="${colour}"/>`;
  }
}

function axisLabel(x: number, y: number, text: string): string {
  return `<text x="${x}" y="${y}" text-anchor="middle">${text}</text>`;
}

/** A bar between its name and its share. */
function drawn({ name, share }: Bar, top: number, axis: (share: number) => number): string {
  const middle = top + ROW / 2;
  const shown = name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH - 1)}…` : name;
  return [
    `<text x="${LEFT - 8}" y="${middle}" text-anchor="end" dominant-baseline="central">${escaped(shown)}</text>`,
    `<rect x="${LEFT}" y="${middle - BAR / 2}" width="${axis(share) - LEFT}" height="${BAR}" fill="${share <= 1 ? MET : MISSED}"/>`,
    `<text x="${axis(share) + 5}" y="${middle}" dominant-baseline="central">${Number(share.toFixed(3))}</text>`,
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
