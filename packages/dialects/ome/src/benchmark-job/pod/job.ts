import type { JobPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import { planMount } from "../../inference-service/weights/model-mount.ts";
import { labelValueOf } from "../../names.ts";
import type { BenchmarkIntent } from "../lower.ts";
import { jobNameOf } from "../names/job-name.ts";
import type { BenchmarkJob } from "./check-spec.ts";
import type { BenchmarkOptions } from "./options.ts";
import { overridePod, type PodPlan } from "./pod-override.ts";
import { toolArguments } from "./tool-arguments.ts";

/** The Job that measures. Created once: what it was started with is what the results are about. */
export function planJob(object: BenchmarkJob, intent: BenchmarkIntent, options: BenchmarkOptions): JobPlan {
  const { name, namespace } = object.metadata;
  const labels = { benchmark: labelValueOf(name ?? "") };
  const annotations = { "logging-forward": "true" };
  return {
    name: jobNameOf(object),
    namespace: namespace ?? "",
    labels,
    annotations,
    pod: { labels, annotations, spec: podSpecOf(planPod(object, intent, options)) },
    retries: 0,
    keepSeconds: options.ttlSeconds,
  };
}

function planPod(object: BenchmarkJob, intent: BenchmarkIntent, options: BenchmarkOptions): PodPlan {
  const { output, dataset } = intent;
  const model = mountModel(intent, object.metadata.namespace);
  const plan: PodPlan = {
    image: options.image,
    args: toolArguments(object, intent, tokenizerOf(object, intent, model?.path)),
    env: [...ownEnvironment(object), ...(model?.env ?? []), ...output.env],
    envFrom: [...output.envFrom],
    resources: { requests: { ...options.requests }, limits: { ...options.limits } },
    mounts: [...(model?.mounts ?? []), ...dataset.mounts, ...output.mounts],
    volumes: [...(model?.volumes ?? []), ...dataset.volumes, ...output.volumes],
    tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
    nodeSelector: { ...model?.nodes },
  };
  return overridePod(plan, object.spec.podOverride ?? {});
}

function ownEnvironment({ spec }: BenchmarkJob): api.EnvVar[] {
  const secret = spec.huggingFaceSecretReference?.name;
  const key = "HUGGINGFACE_API_KEY";
  const fromSecret = (name: string): api.EnvVar => ({
    name,
    valueFrom: { secretKeyRef: { name: secret ?? "", key } },
  });
  return [
    { name: "ENABLE_UI", value: "false" },
    // The tool's libraries look for the second name.
    ...(secret === undefined ? [] : [fromSecret(key), fromSecret("HF_TOKEN")]),
    // Only our own load generator knows this one: it leaves its summary there.
    { name: "TRIVIUM_BENCH_SUMMARY", value: "/dev/termination-log" },
  ];
}

interface MountedModel {
  readonly path: string;
  readonly env: readonly api.EnvVar[];
  readonly volumes: readonly api.Volume[];
  readonly mounts: readonly api.VolumeMount[];
  readonly nodes: Readonly<Record<string, string>>;
}

/** A claim can only be mounted in its own namespace; elsewhere the tool counts tokens without the files. */
function mountModel({ model }: BenchmarkIntent, home: string | undefined): MountedModel | undefined {
  if (model === undefined || (model.place.is === "claim" && model.place.namespace !== home)) return undefined;
  const planned = planMount(
    { ...model, traits: {}, isDisabled: false, nodesReady: [], nodesFailed: [], storage: { storageUri: "" } },
    model.namespace,
  );
  if (planned.is === "faulty") return undefined;
  const { path, volume, mount, nodes } = planned;
  return { path, env: [{ name: "MODEL_PATH", value: path }], volumes: [volume], mounts: [mount], nodes };
}

/** Tokens are counted by the model's own files, else by what a person says in MODEL_TOKENIZER, else by the name of the model. */
function tokenizerOf({ spec }: BenchmarkJob, { modelName }: BenchmarkIntent, path: string | undefined): string {
  const isSaid = spec.podOverride?.env?.some(({ name }) => name === "MODEL_TOKENIZER");
  return isSaid ? "$(MODEL_TOKENIZER)" : (path ?? modelName);
}

function podSpecOf(plan: PodPlan): api.PodSpec {
  const { image, args, env, envFrom, resources, mounts, volumes, tolerations, nodeSelector, affinity } = plan;
  const filled = <T>(name: string, list: readonly T[]) => (list.length === 0 ? {} : { [name]: [...list] });
  return {
    containers: [
      {
        name: "genai-bench",
        image,
        command: ["genai-bench"],
        args: [...args],
        env: [...env],
        ...filled("envFrom", envFrom),
        resources,
        ...filled("volumeMounts", mounts),
        terminationMessagePolicy: "FallbackToLogsOnError",
      },
    ],
    ...filled("volumes", volumes),
    tolerations: [...tolerations],
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector: { ...nodeSelector } }),
    ...(affinity === undefined ? {} : { affinity }),
  };
}
