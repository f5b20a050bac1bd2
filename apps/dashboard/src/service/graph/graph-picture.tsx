import { ScrollBox } from "../../parts/scroll-box.tsx";
import { boxHeight, boxWidth, columnLeft, layOutGraph, type PlacedBox } from "./graph-layout.ts";
import type { GraphView } from "./graph-view.ts";

/** The objects as boxes and what leads from one to the next, with the way to the fault in red. */
export function GraphPicture({ view }: { readonly view: GraphView }) {
  const { width, height, boxes, ways } = layOutGraph(view);
  return (
    <ScrollBox class="graph-box" label="Objects of the service">
      <svg width={width} height={height} role="img" aria-label={describe(view)}>
        {view.columns.map((name, at) => (
          <text key={name} class="graph-column" x={columnLeft(at)} y={16}>
            {name}
          </text>
        ))}
        {ways
          .toSorted((a, b) => Number(a.line.isBroken) - Number(b.line.isBroken))
          .map(({ line, path, middle }) => (
            <g key={`${line.from} ${line.to}`} class={line.isBroken ? "graph-line graph-broken" : "graph-line"}>
              <path d={path} />
              {line.isBroken && <Cross x={middle[0]} y={middle[1]} />}
            </g>
          ))}
        {boxes.map((placed) => (
          <Box key={placed.box.id} placed={placed} />
        ))}
      </svg>
    </ScrollBox>
  );
}

/** Colour is never the only sign. */
const Cross = ({ x, y }: { readonly x: number; readonly y: number }) => (
  <>
    <circle cx={x} cy={y} r={8} />
    <path d={`M${x - 3} ${y - 3}l6 6m0 -6l-6 6`} />
  </>
);

function Box({ placed: { box, x: left, y } }: { readonly placed: PlacedBox }) {
  const x = left + 1;
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
