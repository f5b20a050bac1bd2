import type { ServingDialect } from "@trivium/domain";
import {
  type AnyObject,
  apiVersionOf,
  CustomResourceDefinition,
  type DefinedKind,
  groupResourceOf,
  isReason,
  type KubeClient,
} from "@trivium/kube";
import { describeUnmanaged } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { kindOf } from "../facts/kinds.ts";
import type { SimulationInput } from "./simulate.ts";

interface Serving {
  readonly dialects: readonly ServingDialect[];
  /** Names of the dialects that run, where that is known: those of the control plane of a machine. */
  readonly run: readonly string[] | undefined;
}

/** What the API server would refuse, or nothing would act on, is not planned: it would create nothing. */
export async function refuseUnserved(
  client: KubeClient,
  { manifests, places }: Pick<SimulationInput, "manifests" | "places">,
  { dialects, run }: Serving,
): Promise<void> {
  const served = await servedBy(client, manifests);
  const faults = manifests.flatMap((object) => {
    const kind = kindOf(object, dialects);
    const dialect = dialects.find(({ kinds }) => kinds.includes(kind as DefinedKind));
    if (kind === undefined || dialect === undefined) return [];
    const at = places?.get(object);
    const named = `${at === undefined ? "" : `${at}: `}${object.kind} ${object.metadata?.name ?? ""}`;
    if (run !== undefined && !run.includes(dialect.name)) return [`${named}: ${describeUnmanaged(dialect, run)}`];
    if (served === undefined || served.has(groupResourceOf(kind))) return [];
    const install = `install it with trivium crds --dialects ${dialect.name} | kubectl apply --server-side -f -`;
    return [`${named}: the API server does not serve ${apiVersionOf(kind)} ${kind.kind}; ${install}`];
  });
  if (faults.length > 0) throw new Refusal(faults.join("\n"));
}

/** What the server serves, and what the manifests define; nothing where the caller cannot know. */
async function servedBy(client: KubeClient, manifests: readonly AnyObject[]): Promise<ReadonlySet<string> | undefined> {
  const served = await client.discover().catch((error: unknown) => {
    if (isReason(error, "Forbidden")) return undefined;
    throw error;
  });
  if (served === undefined) return undefined;
  const defined = manifests
    .filter(({ kind }) => kind === CustomResourceDefinition.kind)
    .map(({ metadata }) => metadata?.name ?? "");
  return new Set([...served.map(groupResourceOf), ...defined]);
}
