import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Refusal } from "@trivium/std";
import { anyPortOption } from "../listen.ts";
import type { Log } from "../log.ts";
import type { GatewayRules } from "./gateway-access.ts";

export interface GatewayProcessOptions {
  readonly command: readonly string[];
  readonly kubeconfig: string;
  readonly host: string;
  /** The first of them that is free is taken. */
  readonly ports: readonly [number, ...number[]];
  /** 0 for any free one. */
  readonly metricsPort: number;
  readonly rules: GatewayRules;
  readonly token: string;
  readonly log: Log;
  /** Stops the start. */
  readonly signal: AbortSignal;
}

/** The gateway, in a process of its own: a busy API never slows a stream. */
export interface GatewayProcess {
  readonly url: string;
  /** Where Prometheus finds its figures. */
  readonly metrics: string;
  stop(): Promise<void>;
}

/** So long it may take to end streams that are under way. */
const patience = 12_000;
const maxReading = 1_000;
const firstDelay = 200;
const longestDelay = 10_000;

/** Starts it and resolves when it answers; when it ends by itself later, it is started again. */
export async function startGatewayProcess(request: GatewayProcessOptions): Promise<GatewayProcess> {
  const first = await launchFirst(request);
  const { url, metrics } = first;
  const ports = { port: Number(new URL(url).port), adminPort: Number(new URL(metrics).port) };
  let current = first;
  let isStopping = false;
  let delay = firstDelay;
  let timer: NodeJS.Timeout | undefined;
  const watch = (running: Running): void => {
    const since = Date.now();
    void running.ended.then(() => {
      if (isStopping) return;
      request.log.fault("the gateway exited; restarting it");
      delay = Date.now() - since > 60_000 ? firstDelay : Math.min(longestDelay, delay * 2);
      timer = setTimeout(again, delay);
    });
  };
  const again = (): void => {
    launch(request, ports).then(
      (running) => {
        current = running;
        if (isStopping) running.child.kill("SIGTERM");
        watch(running);
      },
      (error: unknown) => {
        request.log.fault("cannot restart the gateway; retrying", error);
        delay = Math.min(longestDelay, delay * 2);
        timer = setTimeout(again, delay);
      },
    );
  };
  watch(first);
  return {
    url,
    metrics,
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      current.child.kill("SIGTERM");
      const kill = setTimeout(() => current.child.kill("SIGKILL"), patience);
      await current.ended;
      clearTimeout(kill);
    },
  };
}

async function launchFirst(request: GatewayProcessOptions): Promise<Running> {
  const [port, next, ...rest] = request.ports;
  try {
    return await launch(request, { port, adminPort: request.metricsPort });
  } catch (error) {
    // Which of the two is in use is not known.
    if (next !== undefined && error instanceof PortInUse)
      return launchFirst({ ...request, ports: [next, ...rest], metricsPort: 0 });
    throw error;
  }
}

class PortInUse extends Refusal {}

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly metrics: string;
  readonly ended: Promise<void>;
}

interface Ports {
  readonly port: number;
  readonly adminPort: number;
}

async function launch(
  { command, kubeconfig, host, log, rules, token, signal }: GatewayProcessOptions,
  ports: Ports,
): Promise<Running> {
  const [program = "", ...first] = command;
  const place = ["--host", host, "--port", String(ports.port), "--admin-port", String(ports.adminPort)];
  const callers = ["--allowed-hosts", rules.hosts.join(), "--allowed-origins", rules.origins.join()];
  // Models need the processors of one machine more than the gateway does.
  const rest = ["--orphan-routes", "adopt", "--workers", "1"];
  const args = [...first, "--kubeconfig", kubeconfig, ...place, ...callers, ...rest];
  // In a group of its own, so that Ctrl-C reaches it through us and streams can end; with a lifeline, so that it never outlives us.
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    env: {
      ...process.env,
      TRIVIUM_LIFELINE: "stdin",
      TRIVIUM_API_KEY: rules.keys.join(" "),
      TRIVIUM_GATEWAY_TOKEN: token,
    },
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const reported: string[] = [];
  const errors = createInterface(child.stderr);
  // A process can be gone before its last lines are read; one that it started can keep them open.
  const allRead = new Promise<void>((resolve) => errors.once("close", resolve));
  errors.on("line", (line) => {
    reported.push(line);
    if (reported.length > 20) reported.shift();
    // What it warns of at its start is said by us, with our options.
    if (isFailure(line) && !line.startsWith("warning: ")) log.fault(`gateway: ${line}`);
  });
  // Before it is ready it has no streams to end.
  const kill = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  if (signal.aborted) kill();
  const lines = createInterface(child.stdout);
  const ready = await new Promise<RegExpExecArray | undefined>((resolve) => {
    lines.on("line", (line) => {
      const found = /^ready: (\S+) metrics: (\S+)/.exec(line);
      if (found !== null) resolve(found);
    });
    void ended.then(() => resolve(undefined));
  });
  signal.removeEventListener("abort", kill);
  if (ready === undefined) {
    await Promise.race([allRead, sleep(maxReading, undefined, { ref: false })]);
    throw refusalOf(reported, host, ports.port);
  }
  const [, url = "", metrics = ""] = ready;
  return { child, url, metrics, ended };
}

function refusalOf(reported: readonly string[], host: string, port: number): Refusal {
  const advice = `choose another port for the gateway with --gateway-port, or any free one with ${anyPortOption()}`;
  return reported.some((line) => line.includes("EADDRINUSE"))
    ? new PortInUse(`port ${port} of ${host} is already in use by another program; ${advice}`)
    : new Refusal(`the gateway failed to start: ${reported.at(-1) ?? "no output"}`);
}

/** It writes a line of JSON for everything worth one; only what went wrong is a fault. Anything else it says is. */
function isFailure(line: string): boolean {
  try {
    return ((JSON.parse(line) as { level?: number }).level ?? 50) >= 40;
  } catch {
    return true;
  }
}
