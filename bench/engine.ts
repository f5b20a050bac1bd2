/**
 * Tokens a second of the local engine, side by side in one run: the native binding called directly, our server over HTTP, and a
 * llama-server where there is one (on PATH, or named by LLAMA_SERVER). Rounds take turns, so that a busy moment of the machine
 * hits all alike; of each the best round counts. Also: the time from the start of the process to a healthy answer.
 */
import { engineCommand, ownCommand } from "@trivium/engine";
import { startBinding } from "./engine/binding.ts";
import { type Contestant, type Mode, modes } from "./engine/contestant.ts";
import { measureStart, startHttp } from "./engine/http.ts";
import { printTable } from "./support/table.ts";

const rounds = 5;
const found = engineCommand({ environment: process.env });
const real = found.kind === "llama-server" ? found.command : undefined;

const contestants: Contestant[] = [
  await startBinding("completion"),
  await startBinding("queue"),
  await startHttp("our server", ownCommand()),
  ...(real === undefined ? [] : [await startHttp("llama-server", real)]),
];
try {
  const best = new Map<string, number>();
  for (let round = 0; round < rounds; round++)
    for (const mode of modes)
      for (const contestant of contestants) {
        const key = `${contestant.name} ${mode.name}`;
        const rate = await contestant.measure(mode);
        if (rate !== undefined) best.set(key, Math.max(best.get(key) ?? 0, rate));
      }
  const rate = (contestant: Contestant, mode: Mode): number | undefined => best.get(`${contestant.name} ${mode.name}`);
  const [, queue, ours] = contestants as [Contestant, Contestant, Contestant];
  printTable([
    ["tokens a second", ...modes.map(({ name }) => name)],
    ...contestants.map((contestant) => [
      contestant.name,
      ...modes.map((mode) => rate(contestant, mode)?.toFixed(0) ?? "–"),
    ]),
    ["our server / the binding's queue", ...modes.map((mode) => ratio(rate(ours, mode), rate(queue, mode)))],
    ["aim", ...modes.map(() => "0.95")],
  ]);
} finally {
  for (const contestant of contestants) await contestant.close();
}

const starts: [string, readonly string[]][] = [
  ["our server", ownCommand()],
  ...(real === undefined ? [] : [["llama-server", real] as [string, readonly string[]]]),
];
const times: string[][] = [];
for (const [name, command] of starts) times.push([name, `${Math.round(await measureStart(command))} ms`]);
console.log("");
printTable([["process start to healthy, best of 5", ""], ...times, ["aim", "500 ms"]]);
process.exit(0);

function ratio(ours: number | undefined, other: number | undefined): string {
  return ours === undefined || other === undefined ? "–" : (ours / other).toFixed(2);
}
