import { ScrollBox } from "../../parts/scroll-box.tsx";
import type { GraphBox, GraphLine, GraphView } from "./graph-view.ts";

const [boxWidth, boxHeight, gapX, gapY, top] = [196, 54, 40, 30, 30];

const leftOf = ({ column }: GraphBox): number => column * (boxWidth + gapX);
const topOf = ({ row }: GraphBox): number => top + row * (boxHeight + gapY);

/** The objects as boxes and what leads from one to the next, with the way to the fault in red. */
export function GraphPicture({ view }: { readonly view: GraphView }) {
  const width = view.columns.length * (boxWidth + gapX) - gapX + 2;
  const height = top + Math.max(...view.boxes.map(({ row }) => row + 1)) * (boxHeight + gapY);
  const byId = new Map(view.boxes.map((box) => [box.id, box]));
  return (
    <ScrollBox class="graph-box" label="Objects of the service">
      <svg width={width} height={height} role="img" aria-label={describe(view)}>
        {view.columns.map((name, at) => (
          <text key={name} class="graph-column" x={at * (boxWidth + gapX)} y={16}>
            {name}
          </text>
        ))}
        {view.lines
          .toSorted((a, b) => Number(a.isBroken) - Number(b.isBroken))
          .map((line) => (
            <Line key={`${line.from} ${line.to}`} line={line} byId={byId} />
          ))}
        {view.boxes.map((box) => (
          <Box key={box.id} box={box} />
        ))}
      </svg>
    </ScrollBox>
  );
}

function Line({ line, byId }: { readonly line: GraphLine; readonly byId: ReadonlyMap<string, GraphBox> }) {
  const [from, to] = [byId.get(line.from), byId.get(line.to)];
  if (from === undefined || to === undefined) return null;
  const { path, middle } = from.column + 1 === to.column ? shortWay(from, to) : longWay(from, to);
  return (
    <g class={line.isBroken ? "graph-line graph-broken" : "graph-line"}>
      <path d={path} />
      {line.isBroken && <Cross x={middle[0]} y={middle[1]} />}
    </g>
  );
}

interface Way {
  readonly path: string;
  readonly middle: readonly [x: number, y: number];
}

function shortWay(from: GraphBox, to: GraphBox): Way {
  const [x1, y1] = [leftOf(from) + boxWidth, topOf(from) + boxHeight / 2];
  const [x2, y2] = [leftOf(to), topOf(to) + boxHeight / 2];
  const bend = (x2 - x1) / 2;
  return { path: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`, middle: [x1 + bend, (y1 + y2) / 2] };
}

/** Below the row of its start, so that no box hides it. */
function longWay(from: GraphBox, to: GraphBox): Way {
  const [x1, y1] = [leftOf(from) + boxWidth, topOf(from) + boxHeight / 2];
  const [x2, y2] = [leftOf(to), topOf(to) + boxHeight / 2];
  const lane = topOf(from) + boxHeight + gapY / 2;
  const out = `C${x1 + 22} ${y1} ${x1 + 6} ${lane} ${x1 + 34} ${lane}`;
  const back = `C${x2 - 6} ${lane} ${x2 - 22} ${y2} ${x2} ${y2}`;
  return { path: `M${x1} ${y1}${out}L${x2 - 34} ${lane}${back}`, middle: [(x1 + x2) / 2, lane] };
}

/** Colour is never the only sign. */
const Cross = ({ x, y }: { readonly x: number; readonly y: number }) => (
  <>
    <circle cx={x} cy={y} r={8} />
    <path d={`M${x - 3} ${y - 3}l6 6m0 -6l-6 6`} />
  </>
);

function Box({ box }: { readonly box: GraphBox }) {
  const [x, y] = [leftOf(box) + 1, topOf(box)];
  return (
    <g class={`graph-node graph-${box.is}`}>
      <title>{[`${box.kind} ${box.name}: ${box.state}`, box.why ?? ""].filter(Boolean).join("\n")}</title>
      <rect x={x} y={y} width={boxWidth - 2} height={boxHeight} rx={7} />
      <circle cx={x + 14} cy={y + 17} r={4.5} />
      <text class="graph-name" x={x + 25} y={y + 21}>
        {cut(box.name, 18)}
      </text>
      <text class="graph-state" x={x + 12} y={y + 41}>
        {cut([box.kind, box.state].filter(Boolean).join(" · "), 26)}
      </text>
    </g>
  );
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** The picture in words. */
function describe({ boxes, lines }: GraphView): string {
  const broken = lines.filter(({ isBroken }) => isBroken).map(({ from, to }) => `${from} to ${to}`);
  const all = boxes.map(({ kind, name, state }) => `${kind} ${name} ${state}`.trim()).join(", ");
  return broken.length === 0 ? all : `${all}. Broken: ${broken.join(", ")}`;
}
