import type { api } from "@trivium/kube";
import { parseImageReference } from "@trivium/std";
import { firstAccount, unionSecrets } from "../../runtime-config/settings/pull-secrets.ts";
import { adapterArguments, adapterMounts, adapterPod } from "../adapters/adapter-pod.ts";
import type { PlacedInput, ServerInput } from "../roles/server-input.ts";
import { folderOf, modelIdOf, sourcesOf } from "../weights/sources.ts";

export const containerPort = 8000;
const sharedMemory = { name: "dshm", emptyDir: { medium: "Memory", sizeLimit: "8Gi" } };

type Container = Pick<api.Container, "env" | "resources" | "volumeMounts" | "args">;
type Pod = Pick<api.PodSpec, "volumes" | "initContainers" | "affinity" | "imagePullSecrets" | "serviceAccountName">;

export function containerOf(input: PlacedInput): Container {
  const { cache, kv, env, resources, adapters } = input;
  const args = baseArguments(input);
  return {
    ...(args.length === 0 ? {} : { args }),
    env,
    resources,
    volumeMounts: [
      { name: sharedMemory.name, mountPath: "/dev/shm" },
      ...cache.mounts,
      ...(kv.is === "ready" ? [kv.mount] : []),
      ...adapterMounts(adapters),
    ],
  };
}

/** AIM's own base image finds weights by its variables; another server in its place gets arguments. */
export function baseArguments({
  model,
  template,
  adapters,
  options,
}: Pick<ServerInput, "model" | "template" | "adapters" | "options">): string[] {
  const [source] = sourcesOf(template);
  if (!isSameProgram(model.spec.image, options.baseImage) || source === undefined) return [];
  const id = modelIdOf(source);
  const values: Readonly<Record<string, string>> = {
    "{model}": folderOf(options.cacheRoot, id),
    "{name}": id,
    "{port}": String(containerPort),
  };
  const fill = (word: string): string => word.replace(/\{(?:model|name|port)\}/g, (name) => values[name] ?? name);
  const args = options.baseArguments.map(fill);
  return args.length === 0 ? [] : [...args, ...adapterArguments(adapters)];
}

/** Another version or registry of an image is the same program, which has the same arguments. */
function isSameProgram(image: string, other: string): boolean {
  const [one, two] = [image, other].map((each) => parseImageReference(each)?.repository.split("/").at(-1));
  return image === other || (one !== undefined && one === two);
}

export function pullSecretsOf({
  service,
  model,
  template,
  settings,
}: Pick<ServerInput, "service" | "model" | "template" | "settings">) {
  return unionSecrets(
    service.spec.imagePullSecrets,
    template.spec.imagePullSecrets,
    model.spec.imagePullSecrets,
    settings.imagePullSecrets,
  );
}

export function podOf(input: PlacedInput): Pod {
  const { service, model, template, settings, cache, kv, running, imagePullSecrets: secrets } = input;
  const account = firstAccount(
    service.spec.serviceAccountName,
    template.spec.serviceAccountName,
    model.spec.serviceAccountName,
    settings.serviceAccountName,
  );
  const { volumes, ...adapters } = adapterPod(input);
  const nodes = running === undefined ? template.status?.resolvedNodeAffinity : running.nodes;
  return {
    ...(account === undefined ? {} : { serviceAccountName: account }),
    ...(secrets.length === 0 ? {} : { imagePullSecrets: secrets }),
    ...(nodes === undefined ? {} : { affinity: { nodeAffinity: nodes as api.NodeAffinity } }),
    ...adapters,
    volumes: [sharedMemory, ...cache.volumes, ...(kv.is === "ready" ? [kv.volume] : []), ...volumes],
  };
}

/** The image that discovery inspected: a newer one of the model is used once it was inspected, too. */
export const imageOf = ({ model, template }: Pick<ServerInput, "model" | "template">): string =>
  template.status?.discovery?.image ?? model.spec.image;
