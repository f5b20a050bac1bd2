import type { api } from "@trivium/kube";
import type { Millis } from "@trivium/std";
import { type CheckResult, type CheckTarget, portOf } from "./check-target.ts";
import { checkGrpc } from "./grpc-check.ts";
import { checkHttp } from "./http-check.ts";
import { checkTcp } from "./tcp-check.ts";

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
