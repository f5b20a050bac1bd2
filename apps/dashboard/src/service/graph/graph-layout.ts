import type { GraphBox, GraphLine, GraphView } from "./graph-view.ts";

/** Where everything of a picture is, in pixels. */
export interface GraphLayout {
  readonly boxWidth: number;
  /** Where each column begins. */
  readonly columns: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PlacedBox[];
  readonly ways: readonly Way[];
}

export interface PlacedBox {
  readonly box: GraphBox;
  readonly x: number;
  readonly y: number;
}

/** How a line is drawn. */
export interface Way {
  readonly line: GraphLine;
  readonly from: Point;
  readonly to: Point;
  /** The height at which it passes below other boxes; nothing where none is between its ends. */
  readonly lane?: number | undefined;
  readonly path: string;
  readonly middle: Point;
}

export type Point = readonly [x: number, y: number];

export const boxHeight = 54;
const [top, rowGap, laneGap] = [30, 20, 10];

/** What a page of a usual screen has room for, in pixels. */
const usualWidth = 1190;

interface Columns {
  readonly boxWidth: number;
  readonly gapX: number;
}

/** Boxes become narrower before a person has to scroll. */
function chooseColumns(count: number): Columns {
  if (count <= 5) return { boxWidth: 196, gapX: 44 };
  const gapX = count <= 6 ? 36 : 26;
  return { boxWidth: Math.max(120, Math.floor((usualWidth - (count - 1) * gapX) / count)), gapX };
}

type Ends = { readonly line: GraphLine; readonly from: GraphBox; readonly to: GraphBox };
type Side = "left" | "right";

/** Each line gets an end of its own at its boxes and, where it passes others, a lane of its own: no two lie on each other. */
export function layOutGraph(view: GraphView): GraphLayout {
  const { boxWidth, gapX } = chooseColumns(view.columns.length);
  const columnLeft = (column: number): number => column * (boxWidth + gapX);
  const byId = new Map(view.boxes.map((box) => [box.id, box]));
  const ends = view.lines.flatMap((line): Ends[] => {
    const [from, to] = [byId.get(line.from), byId.get(line.to)];
    return from === undefined || to === undefined ? [] : [{ line, from, to }];
  });
  const lanes = chooseLanes(ends);
  const tops = rowTops(view, ends, lanes);
  const topOf = ({ row }: GraphBox): number => tops[row] ?? 0;
  const portOf = choosePorts(ends);
  const ways = ends.map((one): Way => {
    const { from, to, line } = one;
    const start: Point = [columnLeft(from.column) + boxWidth, topOf(from) + portOf(one, from.id)];
    const isLoop = from.column === to.column;
    const end: Point = [columnLeft(to.column) + (isLoop ? boxWidth : 0), topOf(to) + portOf(one, to.id)];
    const index = lanes.get(line);
    const lane = index === undefined ? undefined : topOf(from) + boxHeight + laneGap * (index + 1);
    return { line, from: start, to: end, lane, ...draw(start, end, { isLoop, lane, gapX }) };
  });
  return {
    boxWidth,
    columns: view.columns.map((_, at) => columnLeft(at)),
    width: columnLeft(view.columns.length) - gapX + 2 + (ways.some(({ from, to }) => from[0] === to[0]) ? gapX : 0),
    height: (tops.at(-1) ?? top) - rowGap + 2,
    boxes: view.boxes.map((box) => ({ box, x: columnLeft(box.column), y: topOf(box) })),
    ways,
  };
}

const isLong = ({ from, to }: Ends): boolean => from.column !== to.column && from.column + 1 !== to.column;

/** The first lane below the row of its start in which no other line passes the same columns. */
function chooseLanes(ends: readonly Ends[]): ReadonlyMap<GraphLine, number> {
  const chosen = new Map<GraphLine, number>();
  const taken: { readonly row: number; readonly lane: number; readonly start: number; readonly end: number }[] = [];
  for (const { line, from, to } of ends.filter(isLong).toSorted((a, b) => span(a) - span(b))) {
    const [start, end] = [Math.min(from.column, to.column), Math.max(from.column, to.column)];
    const isTaken = (lane: number): boolean =>
      taken.some((one) => one.row === from.row && one.lane === lane && one.start < end && start < one.end);
    let lane = 0;
    while (isTaken(lane)) lane += 1;
    taken.push({ row: from.row, lane, start, end });
    chosen.set(line, lane);
  }
  return chosen;
}

const span = ({ from, to }: Ends): number => Math.abs(to.column - from.column);

/** The top of each row, and the end of the last: a row has room below it for its lanes. */
function rowTops(view: GraphView, ends: readonly Ends[], lanes: ReadonlyMap<GraphLine, number>): number[] {
  const rows = Math.max(0, ...view.boxes.map(({ row }) => row + 1));
  const tops = [top];
  for (let row = 0; row < rows; row += 1) {
    const own = ends.filter(({ from }) => from.row === row).map(({ line }) => (lanes.get(line) ?? -1) + 1);
    tops.push((tops[row] ?? 0) + boxHeight + rowGap + laneGap * Math.max(0, ...own));
  }
  return tops;
}

/** Where on the side of a box a line ends: in the order of the other ends, so that lines of one box do not cross. */
function choosePorts(ends: readonly Ends[]): (one: Ends, box: string) => number {
  const sides = new Map<string, Ends[]>();
  const sideOf = (one: Ends, box: string): Side =>
    box === one.from.id || one.from.column === one.to.column ? "right" : "left";
  for (const one of ends)
    for (const box of [one.from.id, one.to.id]) {
      const key = `${sideOf(one, box)} ${box}`;
      sides.set(key, [...(sides.get(key) ?? []), one]);
    }
  return (one, box) => {
    const others = (sides.get(`${sideOf(one, box)} ${box}`) ?? []).toSorted(
      (a, b) => rankOf(a, box) - rankOf(b, box) || a.line.to.localeCompare(b.line.to),
    );
    return Math.round((boxHeight * (others.indexOf(one) + 1)) / (others.length + 1));
  };
}

/** Lines that pass below others leave a box at its lower end, the longest last. */
function rankOf(one: Ends, box: string): number {
  const other = box === one.from.id ? one.to : one.from;
  const isBelow = isLong(one) && (box === one.from.id || one.from.row >= one.to.row);
  return isBelow ? 1_000 + span(one) : isLong(one) ? other.row - 0.5 : other.row;
}

interface Shape {
  readonly isLoop: boolean;
  readonly lane: number | undefined;
  readonly gapX: number;
}

function draw([x1, y1]: Point, [x2, y2]: Point, { isLoop, lane, gapX }: Shape): Pick<Way, "path" | "middle"> {
  if (isLoop) {
    const out = x1 + gapX - 8;
    return { path: `M${x1} ${y1}C${out} ${y1} ${out} ${y2} ${x2} ${y2}`, middle: [x1 + gapX * 0.6, (y1 + y2) / 2] };
  }
  if (lane === undefined) {
    const bend = (x2 - x1) / 2;
    const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
    return { path, middle: [x1 + bend, (y1 + y2) / 2] };
  }
  const [near, far] = [Math.round(gapX * 0.55), Math.round(gapX * 0.8)];
  const out = `C${x1 + near} ${y1} ${x1 + 8} ${lane} ${x1 + far} ${lane}`;
  const back = `C${x2 - 8} ${lane} ${x2 - near} ${y2}`;
  return { path: `M${x1} ${y1}${out}L${x2 - far} ${lane}${back} ${x2} ${y2}`, middle: [(x1 + x2) / 2, lane] };
}
