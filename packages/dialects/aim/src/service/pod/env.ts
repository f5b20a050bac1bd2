import type { EnvVars } from "../../kinds/pod-fields.ts";
import { mergeEnv } from "../../runtime-config/settings/merge-env.ts";
import { adaptersEnv } from "../adapters/adapter-pod.ts";
import type { ServerInput } from "../roles/server-input.ts";
import * as of from "../selection/template-facts.ts";

interface EnvLevels {
  readonly cacheRoot: string;
  readonly profileId: string | undefined;
  readonly config: EnvVars;
  readonly metric: string | undefined;
  readonly precision: string | undefined;
  readonly template: EnvVars | undefined;
  /** `organisation/name` of the weights of a custom model. */
  readonly modelId: string | undefined;
  readonly kvCache: EnvVars;
  readonly adapters: EnvVars;
  readonly profile: Readonly<Record<string, string>> | undefined;
  readonly service: EnvVars | undefined;
}

function servingEnv(levels: EnvLevels): EnvVars {
  const { cacheRoot, profileId, metric, precision, modelId } = levels;
  return mergeEnv(
    [
      { name: "AIM_CACHE_PATH", value: cacheRoot },
      { name: "VLLM_ENABLE_METRICS", value: "true" },
      ...optionalEnv("AIM_PROFILE_ID", profileId),
    ],
    levels.config,
    [...optionalEnv("AIM_METRIC", metric), ...optionalEnv("AIM_PRECISION", precision)],
    levels.template,
    [...optionalEnv("AIM_MODEL_ID", modelId), ...levels.kvCache, ...levels.adapters],
    Object.entries(levels.profile ?? {}).map(([name, value]) => ({ name, value })),
    levels.service,
  );
}

const optionalEnv = (name: string, value: string | undefined): EnvVars => (value ? [{ name, value }] : []);

/** Variables of the serving container, of the lowest level first. */
export function envOf({
  service,
  model,
  template,
  settings,
  kv,
  promptCache,
  adapters,
  options,
}: Omit<ServerInput, "env" | "imagePullSecrets" | "labels" | "resources" | "replicas">): EnvVars {
  const [source] = model.spec.modelSources ?? [];
  return servingEnv({
    cacheRoot: options.cacheRoot,
    profileId: template.spec.profileId,
    config: settings.env,
    metric: of.metricOf(template),
    precision: of.precisionOf(template),
    template: template.spec.env,
    modelId: source?.modelId,
    kvCache: kv.is === "ready" ? kv.env : promptCache.env,
    adapters: adaptersEnv(adapters),
    profile: template.status?.profile?.env_vars,
    service: service.spec.env,
  });
}
