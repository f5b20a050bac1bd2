import { colours, picture, text } from "./svg.ts";

const unit = 20;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly notes: readonly string[];
  readonly isGroup: boolean;
}

interface End {
  readonly x: number;
  readonly y: number;
  /** At the top or bottom of its box. */
  readonly isUpright: boolean;
}

/**
 * Draws boxes and arrows from lines of text, on a grid of squares:
 *
 *   box api 1 7 18 4 | API server | a cluster's / or the embedded one
 *   arrow api.bottom runtime.top | watch
 *
 * `group` is a box that holds others. `api.bottom+3` is three squares right of (or below) the middle of a side.
 */
export function drawDiagram(source: string): string {
  const lines = source.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const boxes = new Map<string, Box>();
  const arrows: string[][] = [];
  let title = "";
  for (const line of lines) {
    const [head = "", ...labels] = line.split("|").map((part) => part.trim());
    const [word = "", ...args] = head.split(/\s+/);
    if (word === "title") title = args.join(" ");
    else if (word === "arrow") arrows.push([args[0] ?? "", args[1] ?? "", labels[0] ?? ""]);
    else boxes.set(args[0] ?? "", readBox(word, args, labels));
  }
  const all = [...boxes.values()];
  const width = (Math.max(...all.map((box) => box.x + box.width)) + 1) * unit;
  const height = (Math.max(...all.map((box) => box.y + box.height)) + 1) * unit;
  return picture(width, height, title, [
    `<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="${colours.arrow}"/></marker></defs>`,
    ...all.flatMap(drawBox),
    ...arrows.flatMap(([from = "", to = "", label = ""]) => drawArrow(end(boxes, from), end(boxes, to), label)),
  ]);
}

function readBox(word: string, args: readonly string[], labels: readonly string[]): Box {
  const [x = 0, y = 0, width = 0, height = 0] = args.slice(1).map(Number);
  if (word !== "box" && word !== "group") throw new Error(`unknown line of a diagram: ${word}`);
  const notes = (labels[1] ?? "").split(" / ").filter((note) => note !== "");
  return { x, y, width, height, title: labels[0] ?? "", notes, isGroup: word === "group" };
}

function drawBox({ x, y, width, height, title, notes, isGroup }: Box): string[] {
  const [left, top, wide, high] = [x * unit, y * unit, width * unit, height * unit];
  const fill = isGroup ? colours.group : colours.box;
  const stroke = isGroup ? colours.border : colours.boxBorder;
  const frame = `<rect x="${left}" y="${top}" width="${wide}" height="${high}" rx="6" fill="${fill}" stroke="${stroke}"/>`;
  if (isGroup)
    return [frame, text(left + 10, top + high - 6, title, { size: 13, colour: colours.faint, isBold: true })];
  const middle = left + wide / 2;
  const first = top + high / 2 + 5 - notes.length * 8;
  return [
    frame,
    text(middle, first, title, { size: 15, colour: colours.text, anchor: "middle", isBold: true }),
    ...notes.map((note, index) =>
      text(middle, first + 17 * (index + 1), note, { size: 12, colour: colours.faint, anchor: "middle" }),
    ),
  ];
}

/** `api.bottom`, `api.bottom-3`. */
function end(boxes: ReadonlyMap<string, Box>, place: string): End {
  const [, name = "", side = "", shift = "0"] = /^(\w+)\.(\w+)([+-]\d+)?$/.exec(place) ?? [];
  const box = boxes.get(name);
  if (box === undefined) throw new Error(`no box for ${place}`);
  const along = Number(shift ?? 0);
  const [centreX, centreY] = [box.x + box.width / 2, box.y + box.height / 2];
  const sides: Record<string, { x: number; y: number }> = {
    top: { x: centreX + along, y: box.y },
    bottom: { x: centreX + along, y: box.y + box.height },
    left: { x: box.x, y: centreY + along },
    right: { x: box.x + box.width, y: centreY + along },
  };
  const point = sides[side];
  if (point === undefined) throw new Error(`no such side: ${place}`);
  return { x: point.x * unit, y: point.y * unit, isUpright: side === "top" || side === "bottom" };
}

/** Arrows run along the grid; where the ends are not opposite, with one or two bends. */
function route(from: End, to: End): string {
  if (from.x === to.x || from.y === to.y) return `L${to.x} ${to.y}`;
  if (from.isUpright && to.isUpright) return `V${(from.y + to.y) / 2}H${to.x}V${to.y}`;
  if (from.isUpright) return `V${to.y}H${to.x}`;
  return to.isUpright ? `H${to.x}V${to.y}` : `H${(from.x + to.x) / 2}V${to.y}H${to.x}`;
}

function drawArrow(from: End, to: End, label: string): string[] {
  const line = `<path d="M${from.x} ${from.y}${route(from, to)}" stroke="${colours.arrow}" stroke-width="2" fill="none" marker-end="url(#tip)"/>`;
  if (label === "") return [line];
  const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
  const isBeside = from.x === to.x || (!from.isUpright && from.y !== to.y);
  return isBeside
    ? [line, text(x + 8, y + 4, label, { size: 12, colour: colours.text })]
    : [line, text(x, y - 8, label, { size: 12, colour: colours.text, anchor: "middle" })];
}
