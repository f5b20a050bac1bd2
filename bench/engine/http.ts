import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";
import type { Contestant, Mode, Rates } from "./contestant.ts";

export interface RunningServer {
  measure(parallel: number, promptWords: number): Promise<Rates>;
  close(): Promise<void>;
}

/** A server that needs longer for its start or for an answer is not measured. */
const patience = { start: 120_000, answer: 300_000 };
const tokens = 48;

/** Starts a server on a model; each measurement reads prompts that it has not seen and generates as many tokens as are wanted. */
export async function startServer({ command }: Contestant, model: string, mode: Mode): Promise<RunningServer> {
  const { child, port } = await start(command, model, mode);
  let round = 0;
  return {
    async measure(parallel, promptWords) {
      round++;
      const began = performance.now();
      const answers = await Promise.all(
        Array.from({ length: parallel }, (_, at) => complete(port, round * 10 + at, promptWords)),
      );
      const wall = (performance.now() - began) / 1000;
      const sum = (name: keyof Timings): number => answers.reduce((total, one) => total + one[name], 0);
      // Side by side, the time of all together counts; one alone knows its own times exactly.
      if (parallel > 1) return { prompt: sum("prompt_n") / wall, generated: sum("predicted_n") / wall };
      return {
        prompt: (sum("prompt_n") * 1000) / sum("prompt_ms"),
        generated: (sum("predicted_n") * 1000) / sum("predicted_ms"),
      };
    },
    close: () => stop(child),
  };
}

/** Milliseconds from the start of the process to the first healthy answer; the best of five. */
export async function measureStart({ command }: Contestant, model: string): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    const before = performance.now();
    const { child } = await start(command, model, { slots: 4, threads: 1 });
    best = Math.min(best, performance.now() - before);
    await stop(child);
  }
  return best;
}

interface Timings {
  readonly prompt_n: number;
  readonly prompt_ms: number;
  readonly predicted_n: number;
  readonly predicted_ms: number;
}

async function complete(port: number, seed: number, promptWords: number): Promise<Timings> {
  const words = Array.from({ length: promptWords }, (_, at) => `fox${(at * 7 + seed * 13) % 97} `);
  const body = { prompt: `${seed} ${words.join("")}`, n_predict: tokens, seed, temperature: 0.8, ignore_eos: true };
  const text = await post(port, JSON.stringify(body));
  const { timings } = JSON.parse(text) as { timings?: Timings };
  if (timings === undefined) throw new Error(`no timings in the answer: ${text.slice(0, 300)}`);
  return timings;
}

async function start(
  command: readonly string[],
  model: string,
  { slots, threads }: Mode,
): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort();
  const [program, ...first] = command as [string, ...string[]];
  const shape = ["-t", String(threads), "-np", String(slots), "-c", String(2048 * slots)];
  const child = spawn(program, [...first, "-m", model, "--port", String(port), ...shape], { stdio: "ignore" });
  const late = performance.now() + patience.start;
  while (!(await isHealthy(port))) {
    if (isEnded(child)) throw new Error(`${program} exited with ${child.exitCode ?? child.signalCode}`);
    if (performance.now() > late) {
      await stop(child);
      throw new Error(`${program} was not healthy after ${patience.start / 1000}s`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { child, port };
}

function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ port, path: "/health", agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode === 200));
    });
    call.setTimeout(1000, () => call.destroy());
    call.on("error", () => resolve(false));
    call.end();
  });
}

function post(port: number, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ port, path: "/completion", method: "POST" }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    call.setTimeout(patience.answer, () => call.destroy(new Error(`no answer after ${patience.answer / 1000}s`)));
    call.on("error", reject);
    call.end(body);
  });
}

const isEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function stop(child: ChildProcess): Promise<void> {
  if (isEnded(child)) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
