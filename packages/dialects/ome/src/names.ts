import type { KubeObject } from "@trivium/kube";
import { sha256Hex } from "@trivium/std";

/** On every object and pod of a service: whose it is, and of which component. */
export const serviceLabel = "ome.io/inferenceservice";
export const componentLabel = "component";
/** Which template a pod was made from. */
export const templateAnnotation = "ome.io/template";
export const modelAnnotation = "ome.io/base-model-name";
/** Which runtime a Deployment was made with, and of which scope: it stays with it while it can. */
export const runtimeAnnotation = "ome.io/serving-runtime";
export const runtimeScopeAnnotation = "ome.io/serving-runtime-scope";
/** Which accelerator class a policy selected for a Deployment: it stays with it while it can. */
export const selectedClassAnnotation = "ome.io/selected-accelerator-class";
export const deploymentModeAnnotation = "ome.io/deploymentMode";

/** The container that serves, unless the runner is called otherwise. */
export const mainContainer = "ome-container";

/** The status of all models on one node is a ConfigMap with this label. */
export const nodeStatusLabel = "models.ome/basemodel-status";

/** With one of these set to "true", nobody looks into the files of a model. */
export const skipAnnotations = ["ome.io/skip-config-parsing", "ome.oracle.com/skip-config-parsing"] as const;

/** On a model, with the value `off`: it is downloaded although no node can load it. */
export const fitCheckAnnotation = "trivium.dev/fit-check";

const labelPrefix = "models.ome.io/";

/** A model by scope: with a namespace it is a BaseModel, without one a ClusterBaseModel; or weights that were tuned from one. */
export interface ModelName {
  readonly is?: "model" | "weights" | undefined;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** What has files, by its name. */
export function storedName(object: KubeObject): ModelName {
  const { namespace, name = "" } = object.metadata;
  return object.kind === "FineTunedWeight" ? { is: "weights", name } : { namespace, name };
}

/** Tells a report about one source from a report about another, without repeating the address. */
export const sourceHashOf = ({
  spec,
}: {
  readonly spec: { readonly storage: { readonly storageUri: string } };
}): string => sha256Hex(spec.storage.storageUri).slice(0, 16);

const longestLabelName = 63;
const clusterWord = "clusterbasemodel";
const namespacedWord = "basemodel";
const weightsWord = "finetunedweight";

/** The label by which a node says how it stands with a model. */
export function modelLabelOf({ is, namespace, name }: ModelName): string {
  if (is === "weights") return `${labelPrefix}${weightsWord}.${keepEnd(name, 32)}`;
  if (namespace === undefined) return `${labelPrefix}${clusterWord}.${keepEnd(name, 32)}`;
  return labelPrefix + joined(namespace, name, longestLabelName);
}

/** The entry of a model in the ConfigMap of a node. */
export function modelKeyOf({ is, namespace, name }: ModelName): string {
  if (is === "weights") return `${weightsWord}.${keepEnd(name, 253 - weightsWord.length - 1)}`;
  if (namespace === undefined) return `${clusterWord}.${keepEnd(name, 253 - clusterWord.length - 1)}`;
  return joined(namespace, name, 253);
}

/** Whose entry it is, as far as its name was not cut. */
export function parseModelKey(key: string): {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
} {
  for (const [word, kind] of [
    [clusterWord, "ClusterBaseModel"],
    [weightsWord, "FineTunedWeight"],
  ] as const)
    if (key.startsWith(`${word}.`)) return { kind, namespace: "", name: key.slice(word.length + 1) };
  const at = key.indexOf(`.${namespacedWord}.`);
  const name = at === -1 ? key : key.slice(at + namespacedWord.length + 2);
  return { kind: "BaseModel", namespace: at === -1 ? "" : key.slice(0, at), name };
}

/** Namespace and name share what the word between them leaves; of the namespace at least eight characters stay. */
function joined(namespace: string, name: string, longest: number): string {
  const space = longest - namespacedWord.length - 2;
  if (namespace.length + name.length <= space) return `${namespace}.${namespacedWord}.${name}`;
  const keptNamespace = keepEnd(namespace, Math.max(8, space - name.length));
  return `${keptNamespace}.${namespacedWord}.${keepEnd(name, space - keptNamespace.length)}`;
}

/** Eight hex digits of the whole and its end, where it is too long; the digits alone where there is no room for more. */
export function keepEnd(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const hash = sha256Hex(text).slice(0, 8);
  const rest = longest - hash.length - 1;
  const kept = rest <= 0 ? "" : text.slice(-rest).replace(/^[-._]+/, "");
  return kept === "" ? hash : `${hash}-${kept}`;
}

/** A name for a Service: at most 63 characters, and the first is a letter. */
export function serviceNameOf(name: string): string {
  const cut = keepEnd(name, 63);
  return cut === name ? cut : cut.replace(/^\d/, "a");
}

/** Facts of people as values of labels: cut and cleaned, never refused. */
export function labelValueOf(text: string): string {
  const clean = text.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  return clean.length <= 63 ? clean : keepEnd(clean, 63);
}

/** A name for a volume or a container: dots are for objects only. */
export function volumeNameOf(name: string): string {
  const clean = name.replaceAll(".", "-");
  return clean === name && name.length <= 63 ? name : keepEnd(`${clean}-${sha256Hex(name).slice(0, 8)}`, 63);
}
