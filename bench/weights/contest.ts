import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";

/** One way to bring a file to a disk. */
export interface Contestant {
  readonly name: string;
  /** Commands that run one after the other; together they are measured. */
  readonly commands: readonly (readonly [program: string, ...args: string[]])[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What it leaves; removed after each round. */
  readonly leaves: string;
}

export interface Figure {
  readonly name: string;
  readonly ms: number;
  /** The most memory that one of its processes had. */
  readonly peakBytes: number;
}

/** Lets each take its turn, round after round in another order, and keeps the best of each: the rest is what others took away. */
export async function compete(contestants: readonly Contestant[], rounds: number): Promise<Figure[]> {
  const best = new Map<string, Figure>();
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const contestant = contestants[(turn + round) % contestants.length] as Contestant;
      const figure = await measure(contestant);
      const before = best.get(contestant.name);
      const peakBytes = Math.max(figure.peakBytes, before?.peakBytes ?? 0);
      best.set(contestant.name, { ...figure, ms: Math.min(figure.ms, before?.ms ?? figure.ms), peakBytes });
    }
  }
  return contestants.flatMap(({ name }) => best.get(name) ?? []);
}

async function measure({ name, commands, environment, leaves }: Contestant): Promise<Figure> {
  // What the one before wrote must not be paid by the one after.
  await run(["sync"], {});
  const startedAt = performance.now();
  let peakBytes = 0;
  for (const command of commands) peakBytes = Math.max(peakBytes, await run(command, environment ?? {}));
  const ms = performance.now() - startedAt;
  await rm(leaves, { recursive: true, force: true });
  return { name, ms, peakBytes };
}

async function run(
  [program, ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const env = { PATH: process.env.PATH ?? "", HOME: "/nonexistent", ...environment };
  const child = spawn(program as string, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let reported = "";
  child.stderr.on("data", (chunk) => {
    reported = (reported + chunk).slice(-1_000);
  });
  let peak = 0;
  const reader = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid ?? 0));
  }, 20);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  clearInterval(reader);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${reported}`);
  return peak;
}

/** The kernel keeps the highest mark itself; 0 where there is no such file, or no such process any more. */
function peakOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
