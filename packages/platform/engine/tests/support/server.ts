import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { llamaServer } from "@trivium/testkit";
import { engineCommand, ownCommand } from "../../src/index.ts";

export const demoModel = fileURLToPath(new URL("../../../../../examples/models/demo/demo.gguf", import.meta.url));

/** A model server in a process of its own, asked over HTTP only. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly process: ChildProcess;
  stderr(): string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Ends when the stream does; each event is parsed, `[DONE]` is left as text. */
  events(path: string, body: unknown, signal?: AbortSignal): AsyncGenerator<Event>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape, and fails where it is another
  readonly json: any;
  readonly headers: Headers;
}
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Event = any;

export interface ServerChoice {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: string;
}

/** A port that was free may be taken by another process before the server listens; then the next one is tried. */
export async function startServer(choice: ServerChoice = {}): Promise<TestServer> {
  for (let attempts = 3; ; attempts -= 1) {
    try {
      return await startOnce(choice);
    } catch (error) {
      if (attempts === 1 || !/EADDRINUSE/.test(String(error))) throw error;
    }
  }
}

async function startOnce({
  command = ownCommand(),
  args = [],
  env = {},
  model = demoModel,
}: ServerChoice): Promise<TestServer> {
  const port = await freePort();
  const [program, ...first] = command as [string, ...string[]];
  const child = spawn(program, [...first, "-m", model, "--port", String(port), "-t", "1", ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env.PATH, ...env },
  });
  let stderr = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const url = `http://127.0.0.1:${port}`;
  const server = connect(url, child, () => stderr);
  await untilHealthy(url, child, () => stderr);
  return server;
}

/** Runs a server that is expected to end by itself. */
export async function runToEnd(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; lines: string[] }> {
  const [program, ...first] = ownCommand() as [string, ...string[]];
  const child = spawn(program, [...first, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env.PATH, ...env },
  });
  let stderr = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, lines: stderr.trimEnd().split("\n") };
}

export interface Contestant {
  readonly command?: readonly string[];
  readonly skip?: string;
  /** Why it cannot keep to a JSON schema. */
  readonly noSchemas?: string;
}

/** A real llama-server: that of this machine, else the one that comes as a Python package; or why there is none to compare with. */
export async function realServer(): Promise<Contestant> {
  const { kind, command } = engineCommand({ environment: process.env });
  if (kind === "llama-server") return { command };
  const packed = await llamaServer();
  const noSchemas = "skipped: the packed server is built with LLGuidance, which loses track of this model's vocabulary";
  if (packed.is === "there") return { command: [packed.path], noSchemas };
  return { skip: `no llama-server in PATH, none named by LLAMA_SERVER, none of Python: ${packed.why}` };
}

function connect(url: string, child: ChildProcess, stderr: () => string): TestServer {
  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetchAgain(url + path, init);
    const text = await response.text();
    return { status: response.status, text, headers: response.headers, json: jsonOf(text) };
  };
  return {
    url,
    process: child,
    stderr,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, body, headers = {}) =>
      send(path, { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) }),
    async *events(path, body, signal) {
      const response = await fetchAgain(url + path, {
        method: "POST",
        body: JSON.stringify(body),
        ...(signal ? { signal } : {}),
      });
      let rest = "";
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream("utf-8", { fatal: true }))) {
        const events = (rest + chunk).split("\n\n");
        rest = events.pop()!;
        for (const event of events.map((text) => text.replace(/^event: .*\n/, "")))
          if (event.startsWith("data: ")) yield jsonOf(event.slice(6)) ?? event.slice(6);
      }
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function untilHealthy(url: string, child: ChildProcess, stderr: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server ended: ${stderr()}`);
    const status = await fetch(`${url}/health`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A server closes a kept connection at some time, and a request that is on its way then never reaches it. */
async function fetchAgain(url: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code !== "UND_ERR_SOCKET") throw error;
    return fetch(url, init);
  }
}
