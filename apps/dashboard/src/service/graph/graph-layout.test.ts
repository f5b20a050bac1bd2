import assert from "node:assert/strict";
import { test } from "node:test";
import { boxHeight, layOutGraph } from "./graph-layout.ts";
import type { GraphBox, GraphView } from "./graph-view.ts";

const box = (id: string, column: number, row = 0): GraphBox => ({
  ...{ id, kind: "Pod", name: id, is: "ready", state: "" },
  ...{ column, row },
});

/** Every box of a column is joined with every box of the columns after it, and with the next of its own. */
function crowded(columns: number, rows: number): GraphView {
  const boxes = Array.from({ length: columns * rows }, (_, at) => box(`${at}`, Math.floor(at / rows), at % rows));
  const lines = boxes.flatMap((from) =>
    boxes
      .filter((to) => to.column > from.column || (to.column === from.column && to.row === from.row + 1))
      .map((to) => ({ from: from.id, to: to.id, isBroken: false })),
  );
  return { columns: Array.from({ length: columns }, (_, at) => `${at}`), boxes, lines };
}

test("no two lines share an end or a lane, and none passes through a box", () => {
  const { ways, boxes, width, height, boxWidth } = layOutGraph(crowded(5, 3));
  assert.ok(ways.length > 90, `${ways.length} lines`);
  const ends = ways.flatMap(({ from, to }) => [String(from), String(to)]);
  assert.equal(new Set(ends).size, ends.length, "each end is one line's own");
  const lanes = ways.flatMap(({ lane, from, to }) => (lane === undefined ? [] : [{ lane, from: from[0], to: to[0] }]));
  for (const [at, one] of lanes.entries())
    for (const other of lanes.slice(at + 1))
      assert.ok(one.lane !== other.lane || one.to <= other.from || other.to <= one.from, "a lane is used twice");
  for (const { lane } of lanes)
    for (const { y } of boxes) assert.ok(lane < y || lane > y + boxHeight, `lane ${lane} passes through a box at ${y}`);
  for (const { x, y } of boxes) assert.ok(x + boxWidth <= width && y + boxHeight <= height);
});

test("a picture of all columns fits a usual page", () => {
  for (const count of [5, 6, 7, 8]) assert.ok(layOutGraph(crowded(count, 1)).width <= 1_200, `${count} columns`);
});

test("a line to the next column needs no lane, and lines of one box leave it in the order of their ends", () => {
  const view: GraphView = {
    columns: ["a", "b", "c"],
    boxes: [box("one", 0), box("two", 1), box("three", 1, 1), box("four", 2)],
    lines: ["four", "three", "two"].map((to) => ({ from: "one", to, isBroken: false })),
  };
  const { ways } = layOutGraph(view);
  const heights = Object.fromEntries(ways.map(({ line, from }) => [line.to, from[1]]));
  assert.ok((heights.two ?? 0) < (heights.three ?? 0) && (heights.three ?? 0) < (heights.four ?? 0));
  assert.deepEqual(
    ways.map(({ line, lane }) => [line.to, lane === undefined]),
    [
      ["four", false],
      ["three", true],
      ["two", true],
    ],
  );
});
