import { type AdapterFiles, passAdapters, resourcesBefore, withEnv } from "@trivium/engines";
import type { api } from "@trivium/kube";
import type { OmeOptions } from "../../options.ts";
import type { PodRole } from "../pod/pod-role.ts";
import type { MountPlan } from "../weights/model-mount.ts";
import type { AdapterPlan } from "./adapter-plan.ts";
import type { ServedWeights } from "./resolve-weights.ts";
import { adapterFilesOf, mountWeight, type WeightMount } from "./weights-mount.ts";

/** The mount of the model with the weights that are served on top of it, or with those that are served instead. */
export function mountWith(
  plan: MountPlan,
  served: ServedWeights | undefined,
  options: Pick<OmeOptions, "images">,
): MountPlan {
  if (served === undefined) return plan;
  const weights = served.is === "merged" ? [served.weight] : served.weights;
  const mounts = weights.map((weight) => mountWeight(weight, options));
  const inits = mounts.flatMap(({ init }) => init ?? []);
  const [first] = mounts;
  if (served.is === "adapters" || first === undefined)
    return plan.is === "faulty" ? plan : { ...plan, adapters: { weights, mounts, inits } };
  const { path, volume, mount, nodes } = first;
  return { is: "mounted", path, volume, mount, nodes, adapters: { weights: [], mounts: [], inits } };
}

/** The container that serves, with the files and told of them. Who only follows a leader is told by it. */
export function dressContainer(
  container: api.Container,
  plan: AdapterPlan | undefined,
  role: PodRole | undefined,
): api.Container {
  if (plan === undefined) return container;
  const paths = new Set(plan.mounts.map(({ path }) => path));
  const kept = (container.volumeMounts ?? []).filter(({ mountPath }) => !paths.has(mountPath));
  const mounted = { ...container, volumeMounts: [...kept, ...plan.mounts.map(({ mount }) => mount)] };
  const [first] = plan.weights;
  if (first === undefined) return container;
  if (first.strategy === "tfew") return withEnv(mounted, [{ name: "TFEW_PATH", value: plan.mounts[0]?.path ?? "" }]);
  if (role === "worker") return mounted;
  return loaded(
    mounted,
    plan.weights.map((weight, at) => adapterFilesOf(weight, plan.mounts[at] as WeightMount)),
  );
}

/** Why a container cannot load adapters. */
export class AdapterRefusal extends Error {}

function loaded(container: api.Container, adapters: readonly AdapterFiles[]): api.Container {
  const passed = passAdapters(container, adapters);
  if (passed.is === "passed") return passed.container;
  const { adapter, why } = passed;
  if (adapter === undefined) throw new AdapterRefusal(why);
  const remedy = "convert it, or set spec.storage.storageUri to the file";
  throw new AdapterRefusal(`${why}, and FineTunedWeight ${adapter} has none; ${remedy}`);
}

/** The pod around it: volumes, what fetches, and the nodes that hold all of them. */
export function dressPod(pod: api.PodSpec, plan: AdapterPlan | undefined): api.PodSpec {
  if (plan === undefined) return pod;
  const names = new Set(plan.mounts.map(({ volume }) => volume.name));
  const nodes = Object.assign({}, ...plan.mounts.map((mount) => mount.nodes)) as Record<string, string>;
  const selector = { ...nodes, ...pod.nodeSelector };
  return {
    ...pod,
    volumes: [
      ...(pod.volumes ?? []).filter(({ name }) => !names.has(name)),
      ...plan.mounts.map(({ volume }) => volume),
    ],
    ...(plan.inits.length === 0 ? {} : { initContainers: [...(pod.initContainers ?? []), ...initsOf(pod, plan)] }),
    ...(Object.keys(selector).length === 0 ? {} : { nodeSelector: selector }),
  };
}

/** Logins, mirrors and proxies; as references to Secrets where they are that. */
const forSources = /^(?:HF_|HUGGING_FACE_|AWS_|OCI_|https?_proxy$|no_proxy$|SSL_CERT_)/i;

/** What fetches knows of sources what the engine is told of them, and has its CPU and memory, for quotas that count them. */
function initsOf({ containers }: api.PodSpec, { inits }: AdapterPlan): api.Container[] {
  const variables = new Map(containers.flatMap(({ env = [] }) => env).map((one) => [one.name, one]));
  const env = [...variables.values()].filter(({ name }) => forSources.test(name));
  const resources = resourcesBefore(containers[0]?.resources ?? {});
  return inits.map((init) => ({ ...init, ...resources, ...(env.length === 0 ? {} : { env }) }));
}
