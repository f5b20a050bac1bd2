import type { FieldPaths } from "@trivium/domain";
import { formatArgument, planAdapterArguments, resourcesBefore, servingAnnotations } from "@trivium/engines";
import type { api } from "@trivium/kube";
import { servicePathsOf } from "../../field-paths.ts";
import type { EnvVars } from "../../kinds/pod-fields.ts";
import { mountOf } from "../../model-cache/weights/local-source.ts";
import { mergeEnv } from "../../runtime-config/settings/merge-env.ts";
import type { Service } from "../names/names.ts";
import { engineArguments } from "../pod/engine-arguments.ts";
import type { ServerInput } from "../roles/server-input.ts";
import { type AdapterPlan, type AdaptersPlan, adaptersFolder } from "./plan-adapters.ts";

const volumeName = "adapters";
const containerPrefix = "adapter-";

/** For images of AIM, which read the arguments of their engine from a variable. */
export const adaptersEnv = ({ adapters, engine }: AdaptersPlan): EnvVars =>
  engineArguments(planAdapterArguments(adapters, engine));

/** For another server in the place of AIM's base image. */
export const adapterArguments = ({ adapters, engine }: AdaptersPlan): string[] =>
  planAdapterArguments(adapters, engine).flatMap(formatArgument);

export const adapterMounts = ({ adapters }: AdaptersPlan): api.VolumeMount[] =>
  adapters.length === 0 ? [] : [{ name: volumeName, mountPath: adaptersFolder, readOnly: true }];

type AdapterPod = Pick<api.PodSpec, "initContainers"> & { readonly volumes: readonly api.Volume[] };

/** What downloads the adapters, each into a folder of its own. */
export function adapterPod(
  input: Pick<ServerInput, "service" | "settings" | "resources" | "options" | "adapters">,
): AdapterPod {
  const { adapters } = input.adapters;
  if (adapters.length === 0) return { volumes: [] };
  return {
    initContainers: adapters.map((adapter, at) => downloadContainer(adapter, at, input)),
    volumes: [
      { name: volumeName, emptyDir: {} },
      ...adapters.flatMap(({ local }, at) => (local === undefined ? [] : [mountOf(local, localName(at)).volume])),
    ],
  };
}

const localName = (at: number): string => `${containerPrefix}${at}-source`;

function downloadContainer(
  { source, path, local }: AdapterPlan,
  at: number,
  { service, settings, resources, options }: Pick<ServerInput, "service" | "settings" | "resources" | "options">,
): api.Container {
  const onNode = local === undefined ? undefined : mountOf(local, localName(at));
  const { env, caching } = service.spec;
  return {
    name: `${containerPrefix}${at}`,
    image: options.weightsImage,
    args: ["fetch", local?.path ?? source, "--to", path, "--json"],
    // Which folders may be read is not the user's to decide.
    env: mergeEnv(settings.env, env, caching?.env, onNode === undefined ? [] : [onNode.env]),
    ...resourcesBefore(resources),
    volumeMounts: [{ name: volumeName, mountPath: adaptersFolder }, ...(onNode === undefined ? [] : [onNode.mount])],
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
}

/** Where a user corrects what a container of the pods was built from. */
export function pathsOf(service: Service, container: string | undefined): FieldPaths {
  const paths = servicePathsOf(service);
  return container?.startsWith(containerPrefix) === true
    ? { ...paths, source: `annotation ${servingAnnotations.adapters}` }
    : paths;
}
