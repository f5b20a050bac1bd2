import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface PlotProps {
  readonly title: string;
  /** Seconds since 1970, or any other number where `isTime` is false. */
  readonly x: readonly number[];
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly isTime?: boolean;
}

const colours = ["--term-1", "--term-2", "--term-3", "--term-4", "--term-5"];
const height = 180;

/** A line near zero looks like one. */
const fromZero = (_: uPlot, __: number, most: number): [number, number] => [0, Math.max(1, (most ?? 0) * 1.1)];

/** The same five minutes, so that a line moves and its scale does not; while fewer are known, these fill the picture. */
const untilNow = ({ data: [times] }: uPlot): [number, number] => {
  const last = times.at(-1) ?? Date.now() / 1000;
  return [Math.max(last - 300, Math.min(times[0] ?? last, last - 30)), last];
};

/** In the zone and the form of the reader. */
const asClock = (_: uPlot, times: readonly number[]): string[] => {
  const isWithinMinute = times.some((time) => time % 60 !== 0);
  const form = { hour: "2-digit", minute: "2-digit", ...(isWithinMinute ? { second: "2-digit" } : {}) } as const;
  return times.map((time) => new Date(time * 1000).toLocaleTimeString(undefined, form));
};

/** Lines over time. The last values are text as well: a picture alone says nothing to a screen reader. */
export function Plot({ title, x, lines, isTime = true }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const names = lines.map(({ name }) => name).join(" ");
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const colour = (name: string): string => getComputedStyle(element).getPropertyValue(name).trim();
    const font = `12px ${getComputedStyle(element).fontFamily}`;
    const axis = {
      font,
      stroke: colour("--muted"),
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { show: false },
    };
    const made = new uPlot(
      {
        width: element.clientWidth,
        height,
        scales: { x: isTime ? { time: true, range: untilNow } : { time: false }, y: { range: fromZero } },
        axes: [isTime ? { ...axis, values: asClock } : axis, { ...axis, size: 56 }],
        legend: { show: false },
        series: [
          {},
          ...lines.map(({ name }, at) => ({
            label: name,
            stroke: colour(colours[at % 5] ?? ""),
            width: 2,
            points: { show: !isTime },
          })),
        ],
      },
      [[], ...lines.map(() => [])],
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [names, isTime]);
  useEffect(() => plot.current?.setData([[...x], ...lines.map(({ values }) => [...values])]), [x, lines]);
  return (
    <figure class="card plot">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {lines.map(({ name, values }, at) => (
            <li key={name}>
              <span class={`dot term-${(at % 5) + 1}`} /> {name} <strong>{formatNumber(values.at(-1))}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={box} aria-hidden="true" class="plot-box" />
    </figure>
  );
}

const formatNumber = (value: number | null | undefined): string =>
  value === undefined || value === null
    ? "–"
    : value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 });
