import type { api } from "@trivium/kube";
import { type Clock, waitFor } from "@trivium/runtime";
import type { CheckTarget } from "./check-target.ts";
import { checkHttp } from "./http-check.ts";

export type HookEnd = { readonly is: "done" } | { readonly is: "failed"; readonly message: string };

/** An answer to a hook may take as long as the hook is given: the signal says when that is over. */
const endless = 2 ** 31 - 1;

/** Runs a postStart or preStop hook. The message is for our own log: it may hold what the container said, which Events must not. */
export async function runHook(
  hook: api.LifecycleHandler,
  { target, clock, signal }: { target: CheckTarget; clock: Clock; signal: AbortSignal },
): Promise<HookEnd> {
  const { exec, httpGet, sleep } = hook;
  if (sleep !== undefined) {
    await waitFor(clock, sleep.seconds * 1000, signal);
    return { is: "done" };
  }
  const over = new Promise<HookEnd>((resolve) => {
    const end = (): void => resolve({ is: "failed", message: "it exceeded its time limit" });
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
  if (exec !== undefined) return await Promise.race([over, runCommand(exec.command ?? [], target, signal)]);
  if (httpGet !== undefined) return await Promise.race([over, callHttp(httpGet, target)]);
  return { is: "failed", message: "the hook has none of exec, httpGet and sleep" };
}

async function runCommand(command: readonly string[], target: CheckTarget, signal: AbortSignal): Promise<HookEnd> {
  const end = await target.run(command, { signal });
  if (end.is === "exited" && end.code === 0) return { is: "done" };
  if (end.is === "exited") return { is: "failed", message: `command exited with ${end.code}: ${end.output}` };
  return { is: "failed", message: end.is === "failed" ? end.message : "timed out" };
}

/** Any response will do: only silence is a failure. */
async function callHttp(get: api.HTTPGetAction, target: CheckTarget): Promise<HookEnd> {
  const result = await checkHttp({ get, target, timeout: endless, purpose: "lifecycle" });
  const isFailed = result.is === "errored" || (result.is === "unhealthy" && result.isSilent === true);
  return isFailed ? { is: "failed", message: result.message } : { is: "done" };
}
