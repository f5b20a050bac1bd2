import { resolve } from "node:path";
import { endLeftPods, findLeftPods, type LeftPod } from "@trivium/node";
import { Refusal } from "@trivium/std";
import { findStarted } from "./background.ts";
import { nodeFolder } from "./node/node.ts";

export type { LeftPod } from "@trivium/node";

/** So long pods have to end when they are stopped. */
const grace = 5_000;

/** Pods that run although no control plane does: one that was killed leaves them. */
export async function listLeftPods(home: string): Promise<LeftPod[]> {
  return findStarted(home) === undefined ? await findLeftPods(nodeFolder(resolve(home))) : [];
}

/** Ends them and returns them; the next control plane starts them again. Refused where one of them does not end. */
export async function stopLeftPods(home: string): Promise<LeftPod[]> {
  const left = await listLeftPods(home);
  if (left.length === 0) return left;
  const reasons: string[] = [];
  const onError = (what: string, error: unknown): void =>
    void reasons.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  await endLeftPods(nodeFolder(resolve(home)), { grace, onError });
  const still = await listLeftPods(home);
  if (still.length === 0) return left;
  throw new Refusal([`cannot stop ${describeLeftPods(still)}`, ...reasons].join("; "));
}

/** As in `2 pods (default/a, default/b)`. */
export const describeLeftPods = (pods: readonly LeftPod[]): string =>
  `${pods.length} ${pods.length === 1 ? "pod" : "pods"} (${pods.map(({ namespace, name }) => `${namespace}/${name}`).join(", ")})`;
