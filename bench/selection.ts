import { loadavg } from "node:os";
import { aimCases } from "./selection/aim.ts";
import { measureSelection } from "./selection/measure.ts";
import { omeCases } from "./selection/ome.ts";
import { printTable } from "./support/table.ts";

/**
 * One choice with the reasons for every candidate, in the dialects that choose among objects: templates of AIM, runtimes of OME. LLMKube
 * chooses an image among at most six.
 */
const candidates = Number(process.argv[2] ?? 500);
const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;

const load = loadavg()[0]?.toFixed(1);
printTable([
  [`among ${candidates}, load ${load}`, "", "median", "99th of a hundred", "processor time", "outcome", "aim"],
  ...[...aimCases(candidates), ...omeCases(candidates)].map((each) => {
    const { median, slow, processor } = measureSelection(each, candidates);
    const times = [median, slow, processor].map(milliseconds);
    return [each.dialect, each.what, ...times, each.run().is, "99th at most 5 ms"];
  }),
]);
