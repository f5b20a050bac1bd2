import { observeTemplate, refusedPods } from "@trivium/engines";
import { type api, type Deployment, isOwnedBy, type KubeObject } from "@trivium/kube";
import { absent, type Fact, known } from "@trivium/std";
import { layersAnnotation, templateAnnotation } from "../../names.ts";
import type { LayerPlan } from "../sizing/device-layers.ts";

/** What matters of the Deployment that is there: above all what it chose before, so that it is not chosen anew without a need. */
export interface ObservedDeployment {
  readonly uid: string;
  readonly replicas: number;
  readonly selector: Readonly<Record<string, string>>;
  /** Which template it has now. */
  readonly template?: string | undefined;
  /** The mark of pods that an upgrade kept; they count as `template`. */
  readonly keeps?: string;
  /** The name that the one file of the weights has in its folder. */
  readonly file?: { readonly folder: string; readonly name: string } | undefined;
  /** Layers on the GPU that were computed, and what for. */
  readonly layers?: LayerPlan | undefined;
  /** Why its pods cannot be created. */
  readonly refused?: string | undefined;
}

/** A Deployment of another owner that has the name says nothing of this service, which never changes or deletes it. */
export function observeDeployment(service: KubeObject, found: Fact<Deployment>): Fact<ObservedDeployment> {
  if (found.is !== "known") return found;
  return isOwnedBy(found.value, service) ? known(observedDeployment(found.value)) : absent;
}

function observedDeployment(deployment: Deployment): ObservedDeployment {
  const { metadata, spec, status } = deployment;
  const refused = refusedPods(status?.conditions);
  const annotations = spec?.template.metadata?.annotations ?? {};
  const file = fileOf(spec?.template.spec);
  const layers = layersOf(spec?.template.spec, annotations[layersAnnotation]);
  return {
    uid: metadata.uid ?? "",
    replicas: spec?.replicas ?? 1,
    selector: spec?.selector.matchLabels ?? {},
    template: undefined,
    ...observeTemplate(deployment, annotations[templateAnnotation]),
    ...(file === undefined ? {} : { file }),
    ...(layers === undefined ? {} : { layers }),
    ...(refused === undefined ? {} : { refused }),
  };
}

function fileOf(pod: api.PodSpec | undefined): ObservedDeployment["file"] {
  const { args = [] } = pod?.initContainers?.find(({ name }) => name === "model-downloader") ?? {};
  const [folder, name] = [wordAfter(args, "--to"), wordAfter(args, "--name")];
  return folder === undefined || name === undefined ? undefined : { folder, name };
}

function layersOf(pod: api.PodSpec | undefined, sizedFor: string | undefined): LayerPlan | undefined {
  const count = Number(wordAfter(pod?.containers[0]?.args ?? [], "--n-gpu-layers"));
  return sizedFor === undefined || !Number.isInteger(count) ? undefined : { count, sizedFor };
}

function wordAfter(args: readonly string[], flag: string): string | undefined {
  const at = args.indexOf(flag);
  return at === -1 ? undefined : args[at + 1];
}
