import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { type Contestant, demoModel, grammar, prompt, tokens, tokensPerSecond } from "./contestant.ts";

/** A model server over HTTP, with connections kept open as a gateway keeps them. */
export async function startHttp(name: string, command: readonly string[]): Promise<Contestant> {
  const { child, port } = await start(command);
  const agent = new Agent({ keepAlive: true });
  return {
    name,
    measure: ({ parallel, isStream }) =>
      tokensPerSecond(parallel, async (seed) => {
        const body = { prompt, grammar, n_predict: tokens, seed, temperature: 0.8, stream: isStream };
        const text = await post(port, agent, JSON.stringify(body));
        return Number(/"tokens_predicted":(\d+),"tokens_evaluated":\d+,"generation_settings"/.exec(text)?.[1] ?? 0);
      }),
    async close() {
      agent.destroy();
      await stop(child);
    },
  };
}

/** Milliseconds from the start of the process to the first healthy answer; the best of five. */
export async function measureStart(command: readonly string[]): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    const before = performance.now();
    const { child } = await start(command);
    best = Math.min(best, performance.now() - before);
    await stop(child);
  }
  return best;
}

async function start(command: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
  const port = await freePort();
  const [program, ...first] = command as [string, ...string[]];
  const args = [...first, "-m", demoModel, "--port", String(port), "-t", "1", "-np", "4", "-c", "2048"];
  const child = spawn(program, args, { stdio: "ignore" });
  while (!(await isHealthy(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return { child, port };
}

function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request({ port, path: "/health", agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode === 200));
    });
    call.on("error", () => resolve(false));
    call.end();
  });
}

function post(port: number, agent: Agent, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ port, path: "/completion", method: "POST", agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    call.on("error", reject);
    call.end(body);
  });
}

async function stop(child: ChildProcess): Promise<void> {
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
