import type { ServingDialect } from "@trivium/domain";
import {
  ConfigMap,
  isReason,
  type KubeClient,
  type KubeObject,
  Node,
  StorageClass,
  type Transport,
} from "@trivium/kube";
import { parseTime } from "@trivium/std";
import { findBlockingWebhooks } from "../cluster/blocking-webhooks.ts";
import { thirdPartyKinds } from "../facts/kinds.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Which Kubernetes the API server is. */
export async function checkServer(transport: Transport, server: string): Promise<Finding> {
  const { body } = await transport({ method: "GET", path: "/version", headers: { accept: "application/json" } });
  const gitVersion = /"gitVersion":\s*"([^"]+)"/.exec(typeof body === "string" ? body : "")?.[1] ?? "unknown version";
  const minor = Number(/^v1\.(\d+)/.exec(gitVersion)?.[1] ?? oldestMinor);
  if (minor >= oldestMinor) return ok("API server", `${gitVersion} at ${server}`);
  return problem("API server", `${gitVersion} at ${server}`, `upgrade the cluster to v1.${oldestMinor} or later`);
}

/** Rules of the definitions need CEL, which is complete since this version. */
const oldestMinor = 29;

/** `gpuRemedy` is absent where the one node is this machine, whose own check names its GPUs. */
export async function checkNodes(client: KubeClient, gpuRemedy: string | undefined): Promise<readonly Finding[]> {
  const nodes = await listOrNone<Node>(client, Node);
  if (nodes === undefined) return [warning("nodes", "no permission to list nodes", "request permission to list nodes")];
  const isReady = ({ status }: Node): boolean =>
    (status?.conditions ?? []).some((one) => one.type === "Ready" && one.status === "True");
  const unready = nodes.filter((node) => !isReady(node)).map(({ metadata }) => metadata.name);
  const gpus = nodes.flatMap(({ status }) =>
    Object.entries(status?.allocatable ?? {}).filter(([name]) => /\/(?:gpu|xe|i915)$/.test(name)),
  );
  const total = Map.groupBy(gpus, ([name]) => name);
  const counts = [...total].map(([name, all]) => `${all.reduce((sum, [, count]) => sum + Number(count), 0)} ${name}`);
  return [
    nodes.length === 0
      ? problem("nodes", "none", "add a node")
      : unready.length === 0
        ? ok("nodes", `${nodes.length} ready`)
        : problem("nodes", `not ready: ${unready.join(", ")}`, `run kubectl describe node ${unready[0]}`),
    counts.length > 0
      ? ok("GPUs", counts.join(", "))
      : gpuRemedy === undefined
        ? ok("GPUs", "no node offers any")
        : warning("GPUs", "no node offers any", gpuRemedy),
  ];
}

export async function checkStorage(client: KubeClient): Promise<Finding> {
  const classes = await listOrNone(client, StorageClass);
  if (classes === undefined)
    return warning("storage", "no permission to list storage classes", "request permission to list storageclasses");
  const isDefault = ({ metadata }: KubeObject): boolean =>
    metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true";
  const names = classes.map(({ metadata }) => metadata.name);
  const [chosen] = classes.filter(isDefault);
  if (chosen !== undefined) return ok("storage", `default class ${chosen.metadata.name}`);
  if (names.length === 0) return warning("storage", "no storage class", "install a storage provisioner");
  const fix = `annotate StorageClass ${names[0]} with storageclass.kubernetes.io/is-default-class=true`;
  return warning("storage", `no default among ${names.join(", ")}`, fix);
}

/** A clock that differs by minutes makes tokens invalid and ages wrong. A dry run asks the server for the time. */
export async function checkClock(client: KubeClient, namespace: string, now: number): Promise<Finding | undefined> {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "trivium-doctor", namespace } };
  const created = await client.create(ConfigMap, object as never, { dryRun: true }).catch(() => undefined);
  const at = parseTime(created?.metadata.creationTimestamp ?? "");
  if (at === undefined) return undefined;
  const seconds = Math.round(Math.abs(now - at) / 1000);
  if (seconds <= 30) return ok("clock", "in step with the API server");
  return problem("clock", `differs from the API server by ${seconds}s`, "synchronize the clocks with NTP");
}

/** Projects whose kinds services can use. None is required. */
export async function checkNeighbours(client: KubeClient, dialects: readonly ServingDialect[]): Promise<Finding> {
  const groups = [...new Set(thirdPartyKinds(dialects).map(({ group }) => group))].sort();
  const served = new Set((await client.discover()).map(({ group }) => group));
  const [has, lacks] = [groups.filter((one) => served.has(one)), groups.filter((one) => !served.has(one))];
  const found = `installed: ${has.join(", ") || "none"}; not installed: ${lacks.join(", ") || "none"}`;
  return ok("other APIs", found);
}

/** Another controller that writes the status of the same objects. */
export async function checkRivals(client: KubeClient, dialects: readonly ServingDialect[]): Promise<Finding> {
  const own = new Set(
    dialects.flatMap(({ reconcilers }) => reconcilers.flatMap(({ name, formerNames = [] }) => [name, ...formerNames])),
  );
  const others = new Set<string>();
  for (const kind of dialects.flatMap(({ kinds }) => kinds)) {
    for (const { metadata } of (await listOrNone(client, kind)) ?? [])
      for (const { manager = "", subresource } of metadata.managedFields ?? [])
        if (subresource === "status" && !own.has(manager.replace(/\.touch$/, "")))
          others.add(`${manager} (${kind.kind})`);
  }
  if (others.size === 0) return ok("controllers", "no other controller writes these kinds");
  const found = `also written by ${[...others].join(", ")}`;
  return problem("controllers", found, "stop the other controller (docs/guides/take-over.md)");
}

/** Webhooks of an operator that is gone: nobody can write such objects. */
export async function checkWebhooks(
  client: KubeClient,
  dialects: readonly ServingDialect[],
): Promise<readonly Finding[]> {
  const dead = (await findBlockingWebhooks(client, dialects)).filter(({ isDead }) => isDead);
  if (dead.length === 0) return [ok("webhooks", "none of these APIs fails")];
  return dead.map(({ kind, name, why, fix }) => problem("webhooks", `${kind} ${name}: ${why}`, `run ${fix}`));
}

async function listOrNone<O extends KubeObject>(
  client: KubeClient,
  kind: Parameters<KubeClient["list"]>[0],
): Promise<readonly O[] | undefined> {
  try {
    return (await client.list(kind, {})).items as readonly KubeObject[] as readonly O[];
  } catch (error) {
    if (isReason(error, "Forbidden")) return undefined;
    if (isReason(error, "NotFound", "MethodNotAllowed")) return [];
    throw error;
  }
}
