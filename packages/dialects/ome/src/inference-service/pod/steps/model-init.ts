import type { PodPlan } from "@trivium/domain";
import { resourcesBefore } from "@trivium/engines";
import type { api } from "@trivium/kube";
import type { AgentSettings } from "../../../configuration/index.ts";
import {
  agentVariables,
  emptyFolder,
  modelFolder,
  requireSettings,
  resourcesOf,
  withIdentity,
} from "./agent-container.ts";
import { addMounts, addNew, type PodStep, type PodStepContext, PodStepRefusal, withContainer } from "./pod-step.ts";

const name = "model-init";
const stored = "/mnt/model";

/** An encrypted model is decrypted into memory before anything serves it. */
export const decryptModel: PodStep = (pod, context) => {
  if (pod.annotations["ome.io/inject-model-init"] !== "true" || context.component === "router") return pod;
  if (pod.spec.initContainers?.some((one) => one.name === name)) return pod;
  const settings = requireSettings(context.configuration?.modelInit, "modelInit", [
    "compartmentId",
    "authType",
    "vaultId",
  ]);
  const main = pod.spec.containers.find((one) => one.name === context.main);
  if (main === undefined) return pod;
  const moved = isDecrypted(pod) ? withContainer(pod, main.name, (one) => readDecrypted(one, context)) : pod;
  const { spec } = moved;
  return withIdentity(
    {
      ...moved,
      spec: {
        ...spec,
        // Before adapters, which are laid beside what it writes.
        initContainers: [initContainer(pod, main, { settings, context }), ...(spec.initContainers ?? [])],
        volumes: addNew(spec.volumes, [emptyFolder]),
      },
    },
    settings,
  );
};

const disabledKey = "ome.io/disable-model-decryption";

/** With decryption disabled the agent copies nothing, so the model is only where it was before. */
const isDecrypted = ({ annotations }: PodPlan): boolean => annotations[disabledKey] !== "true";

/** Whoever serves finds the model where it was decrypted to, and not where it is encrypted. */
function readDecrypted(container: api.Container, { mount }: PodStepContext): api.Container {
  const mounts = (container.volumeMounts ?? []).filter((one) => one.name !== mount.volume.name);
  return {
    ...container,
    env: (container.env ?? []).map((one) =>
      one.name === "MODEL_PATH" && one.value === mount.path ? { ...one, value: modelFolder } : one,
    ),
    volumeMounts: addMounts(mounts, [{ name: emptyFolder.name, mountPath: modelFolder }]),
  };
}

function initContainer(
  pod: PodPlan,
  main: api.Container,
  { settings, context }: { readonly settings: AgentSettings; readonly context: PodStepContext },
): api.Container {
  const { mount } = context;
  const resources = resourcesOf(settings);
  const isTfew = pod.annotations["ome.io/base-model-vendor"] === "cohere" && strategyOf(pod) === "tfew";
  return {
    name,
    image: settings.image,
    args: ["enigma", "--config", "/ome-agent.yaml", "--debug"],
    env: addNew(variablesOf(pod, main, { settings, context }), settings.extraEnvVars ?? []),
    volumeMounts: addMounts(
      [
        { name: emptyFolder.name, mountPath: modelFolder, ...(isTfew ? { subPath: "base" } : {}) },
        { ...mount.mount, mountPath: stored },
      ],
      settings.extraVolumeMounts ?? [],
    ),
    terminationMessagePolicy: "FallbackToLogsOnError",
    ...(main.securityContext === undefined ? {} : { securityContext: main.securityContext }),
    ...(resources === undefined ? resourcesBefore(main.resources ?? {}) : { resources }),
  };
}

const strategyOf = ({ annotations }: PodPlan): string | undefined =>
  annotations["ome.io/fine-tuned-weight-ft-strategy"];

function variablesOf(
  { annotations }: PodPlan,
  main: api.Container,
  { settings, context }: { readonly settings: AgentSettings; readonly context: PodStepContext },
): api.EnvVar[] {
  const { model } = context;
  const format = model.traits.modelFormat;
  // What the agent calls the framework is the model's format; it decides the layout of the folder.
  const framework = format?.name.toLowerCase().replaceAll(/[-_]/g, "");
  return agentVariables({
    AUTH_TYPE: settings.authType,
    COMPARTMENT_ID: settings.compartmentId,
    VAULT_ID: settings.vaultId,
    MODEL_NAME: model.name,
    KEY_NAME: annotations["ome.io/base-model-decryption-key-name"],
    SECRET_NAME: annotations["ome.io/base-model-decryption-secret-name"],
    DISABLE_MODEL_DECRYPTION: annotations[disabledKey] ?? "false",
    MODEL_TYPE: "Serving",
    // The agent reads from the first and writes to the second.
    LOCAL_PATH: stored,
    MODEL_STORE_DIRECTORY: modelFolder,
    REGION: settings.region,
    MODEL_FRAMEWORK: framework,
    ...(framework === "tensorrtllm" ? { TENSORRTLLM_VERSION: format?.version, NUM_OF_GPU: gpusOf(main) } : {}),
  });
}

/** The layout of TensorRT-LLM depends on how many GPUs it is made for. */
function gpusOf({ name: container, resources }: api.Container): string {
  const amount = resources?.limits?.["nvidia.com/gpu"] ?? resources?.requests?.["nvidia.com/gpu"];
  if (amount === undefined)
    throw new PodStepRefusal(`a model for TensorRT-LLM requires a limit for nvidia.com/gpu in ${container}`);
  return String(amount);
}
