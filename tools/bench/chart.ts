import { BarChart } from "echarts/charts";
import { GridComponent, MarkLineComponent, TitleComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { type Results, shareOfGoal } from "./figure.ts";

use([BarChart, GridComponent, MarkLineComponent, SVGRenderer, TitleComponent]);

const WIDTH = 900;
const ROW = 22;
const MET = "#2f7d5b";
const MISSED = "#b3541e";

/** `docs/performance.svg`: how much of its goal each figure takes; what reaches beyond the line misses it. */
export function chart(results: Results): string {
  const bars = Object.values(results)
    .flatMap(({ title, figures }) => figures.map((figure) => ({ title, figure, share: shareOfGoal(figure) })))
    .flatMap(({ title, figure, share }) =>
      share === undefined ? [] : [{ name: `${title}: ${figure.name}`, share: Number(share.toFixed(3)) }],
    )
    .reverse();
  const height = 80 + ROW * bars.length;
  const svg = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height });
  svg.setOption({
    animation: false,
    backgroundColor: "#ffffff",
    title: { text: "How much of its goal each figure takes", textStyle: { fontSize: 15 } },
    grid: {
      left: 8,
      right: 48,
      top: 44,
      bottom: 8,
      outerBoundsMode: "same",
      outerBoundsContain: "axisLabel",
    },
    xAxis: { type: "value", min: 0, max: ({ max }: { max: number }) => Math.max(1.25, max) },
    yAxis: {
      type: "category",
      data: bars.map(({ name }) => name),
      axisLabel: { fontSize: 11, width: 420, overflow: "truncate" },
      axisTick: { show: false },
    },
    series: [
      {
        type: "bar",
        barWidth: 12,
        data: bars.map(({ share }) => ({ value: share, itemStyle: { color: share <= 1 ? MET : MISSED } })),
        label: { show: true, position: "right", fontSize: 11, formatter: "{c}" },
        markLine: {
          symbol: "none",
          lineStyle: { color: "#333333", type: "solid" },
          label: { formatter: "goal", position: "end", fontSize: 11 },
          data: [{ xAxis: 1 }],
        },
      },
    ],
  });
  // What shows under a pointer, by class names that count the charts of this process: in a page it is an image.
  const drawn = svg
    .renderToSVGString()
    .replace(/ class="[^"]*"/g, "")
    .replace(/<style[\s\S]*<\/style>\n*/, "")
    .replace(/\bzr\d+-/g, "");
  svg.dispose();
  return `${drawn}\n`;
}
