import type { RunFigures } from "./run-figures.ts";

interface Series {
  readonly name: string;
  readonly points: readonly (readonly [services: number, value: number])[];
  readonly colour: string;
  readonly isDashed?: boolean;
}

interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
}

const colours: Readonly<Record<string, string>> = { llmkube: "#2563eb", aim: "#dc2626", ome: "#059669" };
const size = { width: 400, height: 300, left: 56, right: 16, top: 34, bottom: 40 };

/** Time to the last child, work and memory over the number of services, as an SVG image; both axes are logarithmic. */
export function plotOf(runs: readonly RunFigures[]): string {
  const panels: readonly Panel[] = [
    {
      title: "seconds to the last child",
      series: [
        ...seriesOf(runs, "", ({ lastChild }) => lastChild / 1000),
        ...seriesOf(runs, " (bare client)", ({ bare }) => (bare?.lastChild ?? 0) / 1000),
      ],
    },
    {
      title: "processor seconds of the operator",
      series: seriesOf(runs, "", ({ operatorTime }) => operatorTime / 1000),
    },
    { title: "peak memory of the operator, MB", series: seriesOf(runs, "", ({ peakMemory }) => peakMemory / 1e6) },
  ];
  const width = size.width * panels.length;
  const drawn = panels.map((panel, at) => `<g transform="translate(${at * size.width},0)">${drawPanel(panel)}</g>`);
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${size.height}" font-family="sans-serif" font-size="11"><title>The operator: times, work and memory by number of services</title>`;
  return `${[head, `<rect width="${width}" height="${size.height}" fill="#fff"/>`, ...drawn, "</svg>"].join("\n")}\n`;
}

function seriesOf(runs: readonly RunFigures[], suffix: string, figureOf: (run: RunFigures) => number): Series[] {
  return [...Map.groupBy(runs, ({ dialect, nodes }) => `${dialect}${nodes === "staged" ? ", staged nodes" : ""}`)].map(
    ([name, group]) => ({
      name: `${name}${suffix}`,
      // What was not measured has no place on a logarithmic axis.
      points: group
        .map((run) => [run.services, figureOf(run)] as const)
        .filter(([, value]) => value > 0)
        .sort(([a], [b]) => a - b),
      colour: colours[group[0]?.dialect ?? ""] ?? "#525252",
      ...(suffix === "" && group[0]?.nodes === "none" ? {} : { isDashed: true }),
    }),
  );
}

function drawPanel({ title, series }: Panel): string {
  const points = series.flatMap((each) => each.points);
  const x = scaleOf(
    points.map(([services]) => services),
    [size.left, size.width - size.right],
  );
  const y = scaleOf(
    points.map(([, value]) => value),
    [size.height - size.bottom, size.top],
  );
  const axes = [
    ...x.ticks.map((value) => line(x.at(value), size.top, x.at(value), size.height - size.bottom)),
    ...x.ticks.map((value) => text(x.at(value), size.height - size.bottom + 14, "middle", format(value))),
    ...y.ticks.map((value) => line(size.left, y.at(value), size.width - size.right, y.at(value))),
    ...y.ticks.map((value) => text(size.left - 6, y.at(value) + 4, "end", format(value))),
    text(size.width / 2, size.height - 8, "middle", "services"),
    `<text x="${size.left}" y="18" font-weight="bold">${title}</text>`,
  ];
  const curves = series.map(({ points: own, colour, isDashed }) => {
    const path = own.map(([services, value]) => `${x.at(services).toFixed(1)},${y.at(value).toFixed(1)}`).join(" ");
    const dash = isDashed ? ' stroke-dasharray="5 4"' : "";
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"${dash}/>`;
  });
  const legend = series.map(
    ({ name, colour }, at) =>
      `<text x="${size.left + 8}" y="${size.top + 14 + at * 13}" fill="${colour}">${name}</text>`,
  );
  return [...axes, ...curves, ...legend].join("");
}

/** From the power of ten below the least value to that above the largest. */
function scaleOf(values: readonly number[], [from, to]: readonly [number, number]) {
  const [least, largest] = values.length === 0 ? [1, 1] : [Math.min(...values), Math.max(...values)];
  const low = Math.floor(Math.log10(least));
  const high = Math.max(low + 1, Math.ceil(Math.log10(largest)));
  const at = (value: number): number => from + ((Math.log10(value) - low) / (high - low)) * (to - from);
  const powers = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  const ticks = powers.flatMap((power) => [power, 3 * power]).filter((value) => value <= 10 ** high);
  return { at, ticks };
}

const line = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="#e5e5e5"/>`;
const text = (x: number, y: number, anchor: string, content: string): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="#525252">${content}</text>`;
const format = (value: number): string => (value >= 1 ? value.toLocaleString("en") : String(Number(value.toFixed(3))));
