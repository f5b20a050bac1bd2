import { builtInSchema } from "@trivium/kube";
import type { Schema } from "@trivium/schema";
import { leavesOf } from "@trivium/testkit";

const podFields = Object.keys(builtInSchema("", "v1", "Pod")?.properties?.spec?.properties ?? {});
const containerFields = Object.keys(
  builtInSchema("", "v1", "Pod")?.properties?.spec?.properties?.containers?.items?.properties ?? {},
);

/** The fields that this dialect defines; those of pods and containers are handed on as they are. */
export function ownLeaves(schema: Schema): string[] {
  return [...new Set(leavesOf(schema).map(withoutKubernetes))].filter((path) => path !== "");
}

const podHolders = ["engine", "decoder", "router", "predictor", "leader", "worker", "workerSpec"];
const configs = ["engineConfig", "decoderConfig", "routerConfig"];

/** Up to where a path leaves our own types; nothing for what is not ours at all. */
function withoutKubernetes(path: string): string {
  const words = path.split(".");
  for (const [at, word] of words.entries()) {
    const parent = (words[at - 1] ?? "").replace("[]", "");
    const name = word.replace("[]", "");
    if ([...podHolders, ...configs].includes(parent) && podFields.includes(name)) return "";
    if (parent === "runner" || (parent === "model" && words[at - 2] === "predictor" && containerFields.includes(name)))
      return "";
    if (["affinity", "nodeAffinity", "podOverride", "deploymentStrategy"].includes(parent))
      return words.slice(0, at).join(".");
    if (at === 0 && ["containers", "volumes", "tolerations", "imagePullSecrets"].includes(name)) return name;
  }
  return path;
}

/** The schema of a field by its path. */
export function schemaAt(schema: Schema, path: string): Schema {
  return path.split(".").reduce((at: Schema, word) => {
    const found = at.properties?.[word.replace("[]", "")] as Schema;
    return word.endsWith("[]") ? (found.items as Schema) : found;
  }, schema);
}

const texts: Readonly<Record<string, readonly unknown[]>> = {
  storageUri: ["s3://bucket/prefix", "pvc://team:claim/x"],
  path: ["/mnt/data/models/elsewhere"],
  version: ["9.9.9"],
  min: ["100B"],
  max: ["1B"],
  modelParameterSize: ["900B"],
  scalingThreshold: ["77"],
  promServerAddress: ["http://prometheus.example"],
  nodeAffinity: [{ requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } }],
  deploymentStrategy: [{ type: "Recreate" }],
  containers: [[{ name: "ome-container", image: "other/image:1" }]],
  volumes: [[{ name: "more", emptyDir: {} }]],
  tolerations: [[{ key: "x", operator: "Exists" }]],
  imagePullSecrets: [[{ name: "pull" }]],
  affinity: [{ nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } }],
  podOverride: [{ image: "other/bench:1" }],
  hyperParameters: [{ strategy: "tfew" }],
  configuration: [{ merged_weights: true }],
  acceleratorConfig: [{ h100: { runtimeArgsOverride: ["--x"] } }],
  additionalComponents: [{ extra: { library: "a", type: "b" } }],
  parameters: [{ region: "eu-west-1", auth: "x" }],
  trafficScenarios: [["D(7,7)"]],
  numConcurrency: [[7]],
  additionalRequestParams: [{ temperature: "0.3" }],
  acceleratorClasses: [["other"]],
  url: ["http://other.example"],
};

/** Values to try, until one of them makes a difference. */
export function samplesOf(schema: Schema, path: string): readonly unknown[] {
  const name = path.split(".").at(-1)?.replace("[]", "") ?? "";
  if (Object.hasOwn(texts, name)) return texts[name] as readonly unknown[];
  if (schema.enum !== undefined) return schema.enum;
  if (schema["x-kubernetes-int-or-string"] === true) return [7, "77%"];
  switch (schema.type) {
    case "boolean":
      return [true, false];
    case "integer":
    case "number":
      return [7, 1, 0];
    case "array":
      return [[samplesOf(schema.items as Schema, `${path}.item`)[0]]];
    case "object":
      return [{ a: "b" }];
    default:
      return ["other"];
  }
}

/** The object with one of its fields set. */
export function withField(object: unknown, path: string, value: unknown): unknown {
  const [word = "", ...rest] = path.split(".");
  if (word === "") return value;
  const name = word.replace("[]", "");
  const own = (object ?? {}) as Record<string, unknown>;
  const inner = own[name];
  const next = rest.join(".");
  if (!word.endsWith("[]")) return { ...own, [name]: withField(inner, next, value) };
  const [first, ...others] = (inner ?? [{}]) as unknown[];
  return { ...own, [name]: next === "" ? value : [withField(first, next, value), ...others] };
}
