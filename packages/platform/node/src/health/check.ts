import type { api } from "@trivium/kube";
import type { Millis } from "@trivium/std";
import { checkGrpc } from "./grpc-check.ts";
import { checkHttp } from "./http-check.ts";
import { checkTcp } from "./tcp-check.ts";

export type CommandEnd =
  | { readonly is: "exited"; readonly code: number; readonly output: string }
  | { readonly is: "timed out" }
  /** It could not be started. */
  | { readonly is: "failed"; readonly message: string };

/** A container that runs, as probes and hooks see it. */
export interface CheckTarget {
  readonly container: api.Container;
  readonly address: string;
  /** From the port of the spec to the one that it listens on, where they differ. */
  readonly ports: ReadonlyMap<number, number>;
  /** Runs a command beside its process. */
  run(command: readonly string[], options: { timeout?: Millis; signal?: AbortSignal }): Promise<CommandEnd>;
}

/** `errored`: the question could not be put, which says nothing of the container. */
export type CheckResult =
  | { readonly is: "healthy" }
  | { readonly is: "warning"; readonly message: string }
  | { readonly is: "unhealthy"; readonly message: string }
  | { readonly is: "errored"; readonly message: string };

/** Puts the question of a probe once. Messages are those of a kubelet: people know them. */
export async function runCheck(probe: api.Probe, target: CheckTarget): Promise<CheckResult> {
  const timeout = (probe.timeoutSeconds ?? 1) * 1000;
  const { exec, httpGet, tcpSocket, grpc } = probe;
  try {
    if (exec !== undefined) return await checkCommand(exec.command ?? [], target, timeout);
    if (httpGet !== undefined) return await checkHttp({ get: httpGet, target, timeout });
    if (tcpSocket !== undefined) {
      const port = portOf(tcpSocket.port, target);
      return await checkTcp({ host: tcpSocket.host || target.address, port, timeout });
    }
    if (grpc !== undefined) {
      const port = portOf(grpc.port, target);
      return await checkGrpc({ host: target.address, port, service: grpc.service ?? "", timeout });
    }
  } catch (error) {
    return { is: "errored", message: error instanceof Error ? error.message : String(error) };
  }
  return { is: "errored", message: `missing probe handler for ${target.container.name}` };
}

async function checkCommand(command: readonly string[], target: CheckTarget, timeout: Millis): Promise<CheckResult> {
  const end = await target.run(command, { timeout });
  switch (end.is) {
    case "failed":
      return { is: "errored", message: end.message };
    case "timed out":
      return {
        is: "unhealthy",
        message: `command timed out: ${JSON.stringify(command.join(" "))} timed out after ${timeout / 1000}s`,
      };
    case "exited":
      return end.code === 0 ? { is: "healthy" } : { is: "unhealthy", message: end.output };
  }
}

/** The port that a number or the name of a container port means. */
export function portOf(wanted: string | number, { container, ports }: CheckTarget): number {
  const declared = (container.ports ?? []).find(({ name }) => name === wanted)?.containerPort;
  const port = declared ?? (typeof wanted === "number" || /^\d+$/.test(wanted) ? Number(wanted) : undefined);
  if (port === undefined)
    throw new Error(`couldn't find port: ${JSON.stringify(wanted)} in container ${JSON.stringify(container.name)}`);
  if (port < 1 || port > 65_535) throw new Error(`invalid port number: ${port}`);
  return ports.get(port) ?? port;
}
