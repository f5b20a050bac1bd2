import type { JobPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import { labels } from "../../labels.ts";
import { labelValueOf } from "../../names.ts";
import type { AimOptions } from "../../options.ts";
import { mergeEnv } from "../../runtime-config/settings/merge-env.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import { unionSecrets } from "../../runtime-config/settings/pull-secrets.ts";
import { downloadNameOf, type ModelCache, measureNameOf, modelIdOf } from "../names/names.ts";
import { containerName, type ObservedModelCache } from "../observe.ts";
import { isFetchedByUs, isLinked, localSourceOf, mountOf } from "./local-source.ts";

const folder = "/cache";
/** What programs of the Hub are told, where somebody names one: to keep nothing but the weights on the volume for long. */
const defaultEnv = [
  { name: "HF_HOME", value: "/tmp/.hf" },
  { name: "HF_XET_CHUNK_CACHE_SIZE_BYTES", value: "0" },
  { name: "HF_XET_HIGH_PERFORMANCE", value: "1" },
  { name: "HF_XET_SHARD_CACHE_SIZE_BYTES", value: "0" },
  { name: "UMASK", value: "0022" },
];

export function labelsOf(cache: ModelCache, settings: Settings): Record<string, string> {
  const own = {
    [labels.modelCache]: labelValueOf(cache.metadata.name ?? ""),
    [labels.sourceModel]: labelValueOf(modelIdOf(cache)),
    ...(cache.metadata.labels?.[labels.templateCreated] === "true" ? { [labels.cacheType]: "template-cache" } : {}),
    [labels.component]: "model-storage",
    [labels.managedBy]: "modelcache-controller",
  };
  return propagateLabels(settings, cache.metadata.labels, own);
}

interface JobInput {
  readonly cache: ModelCache;
  readonly observed: Pick<ObservedModelCache, "jobResources">;
  readonly claimName: string;
  readonly settings: Settings;
  readonly options: AimOptions;
  readonly attempt: number;
}

/** Fetches into the volume. What users wrote goes into arguments and variables, never into a script. */
export function planDownload({ cache, observed, claimName, settings, options, attempt }: JobInput): JobPlan {
  const { modelDownloadImage: image = "" } = cache.spec;
  const isOurs = isFetchedByUs(cache.spec);
  const { address, env, mounts, volumes: local } = sourceOf(cache, options);
  const how = isLinked(cache.spec, options) ? ["--link"] : [];
  const args = isOurs ? ["fetch", address, "--to", folder, "--json", ...how] : [address, folder];
  const container: api.Container = {
    ...containerOf(cache, settings, { image: isOurs ? options.weightsImage : image, env }),
    ...resourcesOf(observed),
    args,
    volumeMounts: [{ name: "cache", mountPath: folder }, scratch.mount, ...mounts],
  };
  const volumes = [{ name: "cache", persistentVolumeClaim: { claimName } }, scratch.volume, ...local];
  const name = downloadNameOf(cache, attempt);
  return jobOf({ cache, settings }, { name, container, volumes, keepSeconds: 600 });
}

/** Asks the source what it has, without fetching it. */
export function planMeasure({ cache, observed, settings, options, attempt }: JobInput): JobPlan {
  const { address, env, mounts, volumes } = sourceOf(cache, options);
  const container: api.Container = {
    ...containerOf(cache, settings, { image: options.weightsImage, env }),
    ...resourcesOf(observed),
    args: ["inspect", address, "--json"],
    volumeMounts: [scratch.mount, ...mounts],
  };
  const name = measureNameOf(cache, attempt);
  return jobOf({ cache, settings }, { name, container, volumes: [scratch.volume, ...volumes], keepSeconds: 300 });
}

const resourcesOf = ({ jobResources }: JobInput["observed"]): Pick<api.Container, "resources"> =>
  jobResources === undefined ? {} : { resources: jobResources };

interface SourceParts {
  readonly address: string;
  readonly env: readonly api.EnvVar[];
  readonly mounts: readonly api.VolumeMount[];
  readonly volumes: readonly api.Volume[];
}

/** Weights from elsewhere need nothing but their address; a file of the node needs its folder. */
function sourceOf(cache: ModelCache, options: AimOptions): SourceParts {
  const local = localSourceOf(cache, options);
  if (local === undefined) return { address: cache.spec.sourceUri, env: [], mounts: [], volumes: [] };
  const { root = "/", path } = local;
  // Some folders of the container are its own.
  const at = ownFolders.includes(root) ? `/node${root}` : root;
  const { env, mount, volume } = mountOf(local, "local", at);
  return { address: `${at}${path.slice(root.length)}`, env: [env], mounts: [mount], volumes: [volume] };
}

const scratch = {
  mount: { name: "tmp", mountPath: "/tmp" },
  volume: { name: "tmp", emptyDir: { sizeLimit: "500Mi" } },
} as const;

const ownFolders: readonly string[] = [folder, scratch.mount.mountPath];

function containerOf(
  { spec }: ModelCache,
  settings: Settings,
  { image, env }: { readonly image: string; readonly env: readonly api.EnvVar[] },
): api.Container {
  return {
    name: containerName,
    image,
    // Which folders may be read is not the user's to say.
    env: mergeEnv(defaultEnv, settings.env, spec.env, [...env]),
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
}

interface JobParts {
  readonly name: string;
  readonly container: api.Container;
  readonly volumes: readonly api.Volume[];
  readonly keepSeconds: number;
}

function jobOf(
  { cache, settings }: Pick<JobInput, "cache" | "settings">,
  { name, container, volumes, keepSeconds }: JobParts,
): JobPlan {
  const secrets = unionSecrets(cache.spec.imagePullSecrets, settings.imagePullSecrets);
  const own = labelsOf(cache, settings);
  return {
    name,
    labels: own,
    // How often it is tried is decided here, where people can see it.
    retries: 0,
    keepSeconds,
    pod: {
      labels: own,
      annotations: {},
      spec: {
        ...(secrets.length === 0 ? {} : { imagePullSecrets: secrets }),
        ...(settings.serviceAccountName === undefined ? {} : { serviceAccountName: settings.serviceAccountName }),
        securityContext: {
          runAsUser: 1000,
          runAsGroup: 1000,
          fsGroup: 1000,
          seccompProfile: { type: "RuntimeDefault" },
        },
        containers: [container],
        volumes: [...volumes],
      },
    },
  };
}
