/**
 * Tokens a second of the local engine and of a real llama-server, side by side in one run: on a model of 290 MB with random
 * weights, and on the demo. Rounds take turns, so that a busy moment of the machine hits all alike; of each the best round counts.
 * Also: the time from the start of the process to a healthy answer. `THREADS=1,2` measures with one and with two threads, `ROUNDS`
 * is how often; `OTHER_ENGINE` names the main.ts of a third one to compare.
 */
import { engineCommand, ownCommand } from "@trivium/engine";
import { llamaServer } from "@trivium/testkit";
import { type Contestant, demoModel, type Mode, type Rates } from "./engine/contestant.ts";
import { measureStart, startServer } from "./engine/http.ts";
import { randomModel } from "./engine/random-model.ts";
import { printTable } from "./support/table.ts";

const rounds = counts("ROUNDS", "3")[0] ?? 3;
const threads = counts("THREADS", "1");
const contestants: Contestant[] = [{ name: "our engine", command: ownCommand() }, ...(await real()), ...other()];
const modes: readonly Mode[] = threads.flatMap((each) => [
  { slots: 1, threads: each },
  { slots: 4, threads: each },
]);

// The demo was trained on 512 tokens, and llama-server refuses longer prompts.
for (const [what, model, promptWords] of [
  ["290 MB, Q8_0", randomModel(), 200],
  ["the demo, 3 MB", demoModel, 60],
] as const) {
  const best = await measureAll(model, promptWords);
  const nameOf = ({ slots, threads: each }: Mode): string => `${slots} slots, ${each} threads`;
  const cell = (name: string, at: number, key: keyof Rates): string =>
    best.get(`${name} ${at}`)?.[key].toFixed(1) ?? "–";
  const ratio = (at: number, key: keyof Rates): string => {
    const [ours, theirs] = contestants.map(({ name }) => best.get(`${name} ${at}`)?.[key]);
    return ours === undefined || theirs === undefined ? "–" : (ours / theirs).toFixed(2);
  };
  const columns = modes.flatMap((_, at) => [
    [at, "prompt"],
    [at, "generated"],
  ]) as [number, keyof Rates][];
  printTable([
    [`${what}, tokens/s`, ...modes.flatMap((mode) => [`prompt, ${nameOf(mode)}`, `generated, ${nameOf(mode)}`])],
    ...contestants.map(({ name }) => [name, ...columns.map(([at, key]) => cell(name, at, key))]),
    ["our engine / llama-server", ...columns.map(([at, key]) => ratio(at, key))],
    ["aim", ...columns.map(() => "1.00")],
  ]);
  console.log("");
}

const times: string[][] = [];
for (const contestant of contestants)
  times.push([contestant.name, `${Math.round(await measureStart(contestant, demoModel))} ms`]);
printTable([["process start to healthy, best of 5", ""], ...times, ["aim", "500 ms"]]);
process.exit(0);

/** Positive numbers of a variable, separated by commas. */
function counts(variable: string, otherwise: string): number[] {
  const given = (process.env[variable] || otherwise).split(",").map(Number);
  if (given.every((one) => Number.isInteger(one) && one > 0)) return given;
  throw new Error(`${variable}=${process.env[variable]}: expected positive integers such as ${otherwise}`);
}

/** One server at a time: their threads would wait for each other. */
async function measureAll(model: string, promptWords: number): Promise<Map<string, Rates>> {
  const best = new Map<string, Rates>();
  for (let round = 0; round < rounds; round++)
    for (const [at, mode] of modes.entries())
      for (const contestant of contestants) {
        const server = await startServer(contestant, model, mode);
        const key = `${contestant.name} ${at}`;
        for (let again = 0; again < 2; again++) {
          const rates = await server.measure(mode.slots, promptWords);
          const before = best.get(key) ?? { prompt: 0, generated: 0 };
          best.set(key, {
            prompt: Math.max(before.prompt, rates.prompt),
            generated: Math.max(before.generated, rates.generated),
          });
        }
        await server.close();
      }
  return best;
}

async function real(): Promise<Contestant[]> {
  const found = engineCommand({ environment: process.env });
  if (found.kind === "llama-server") return [{ name: "llama-server", command: found.command }];
  const packed = await llamaServer();
  if (packed.is === "there") return [{ name: "llama-server", command: [packed.path] }];
  console.log(`no llama-server to compare with: ${packed.why}`);
  return [];
}

function other(): Contestant[] {
  const path = process.env.OTHER_ENGINE;
  return path === undefined ? [] : [{ name: "the other engine", command: [process.execPath, path] }];
}
