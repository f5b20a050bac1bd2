import { ScrollBox } from "../../parts/scroll-box.tsx";
import { boxHeight, layOutGraph, type PlacedBox } from "./graph-layout.ts";
import type { GraphView } from "./graph-view.ts";

/** The objects as boxes and what leads from one to the next, with the way to the fault in red. */
export function GraphPicture({ view }: { readonly view: GraphView }) {
  const { width, height, boxes, ways, columns, boxWidth } = layOutGraph(view);
  return (
    <ScrollBox class="graph-box" label="Objects of the service">
      <svg width={width} height={height} role="img" aria-label={describe(view)}>
        {view.columns.map((name, at) => (
          <text key={name} class="graph-column" x={columns[at]} y={16}>
            {name}
          </text>
        ))}
        {ways
          .toSorted((a, b) => Number(a.line.isBroken) - Number(b.line.isBroken))
          .map(({ line, path, middle }) => (
            <g key={`${line.from} ${line.to}`} class={line.isBroken ? "graph-line graph-broken" : "graph-line"}>
              <path d={path} />
              {line.isBroken && leadsToFault(view, line) && <Cross x={middle[0]} y={middle[1]} />}
            </g>
          ))}
        {boxes.map((placed) => (
          <Box key={placed.box.id} placed={placed} width={boxWidth} />
        ))}
      </svg>
    </ScrollBox>
  );
}

/** The last step of the way in red: what it leads to has the fault. */
const leadsToFault = ({ lines }: GraphView, { to }: GraphView["lines"][number]): boolean =>
  !lines.some((next) => next.isBroken && next.from === to);

/** Colour is never the only sign. */
const Cross = ({ x, y }: { readonly x: number; readonly y: number }) => (
  <>
    <circle cx={x} cy={y} r={8} />
    <path d={`M${x - 3} ${y - 3}l6 6m0 -6l-6 6`} />
  </>
);

function Box({ placed: { box, x: left, y }, width }: { readonly placed: PlacedBox; readonly width: number }) {
  const x = left + 1;
  return (
    <g class={`graph-node graph-${box.is}`}>
      <title>{[`${box.kind} ${box.name}: ${box.state}`, box.why ?? ""].filter(Boolean).join("\n")}</title>
      <rect x={x} y={y} width={width - 2} height={boxHeight} rx={7} />
      <circle cx={x + 14} cy={y + 17} r={4.5} />
      <text class="graph-name" x={x + 25} y={y + 21}>
        {cutInside(box.name, Math.floor((width - 34) / 7.6))}
      </text>
      <text class="graph-state" x={x + 12} y={y + 41}>
        {cut([box.state, box.kind].filter(Boolean).join(" · "), Math.floor((width - 24) / 6.2))}
      </text>
    </g>
  );
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** Names of objects differ at their ends. */
function cutInside(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = Math.floor((most - 1) / 3);
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`;
}

/** The picture in words. */
function describe({ boxes, lines }: GraphView): string {
  const broken = lines.filter(({ isBroken }) => isBroken).map(({ from, to }) => `${from} to ${to}`);
  const all = boxes.map(({ kind, name, state }) => `${kind} ${name} ${state}`.trim()).join(", ");
  return broken.length === 0 ? all : `${all}. Broken: ${broken.join(", ")}`;
}
