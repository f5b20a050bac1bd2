import type { KubeObject } from "@trivium/kube";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import { isMeasureName } from "../model-cache/names/names.ts";
import { labelValueOf } from "../names.ts";
import { eaiGroup } from "./group.ts";

type Labels = Readonly<Record<string, string>>;

const key = (name: string): string => `${eaiGroup.group}/${name}`;

/** What AIM Engine calls the controller of each kind: what it creates has the label `<controller>.name`. */
const controllers = new Map([
  ["AIMService", "service"],
  ["AIMModel", "model"],
  ["AIMClusterModel", "cluster-model"],
  ["AIMServiceTemplate", "service-template"],
  ["AIMClusterServiceTemplate", "cluster-service-template"],
  ["AIMTemplateCache", "template-cache"],
  ["AIMArtifact", "artifact"],
  ["AIMClusterModelSource", "cluster-model-source"],
]);

/** Labels of an owner that its children have too: whom it was created for. */
const handedDown = ["service", "service.name", "template.name", "template.scope", "template-cache.name"].map(key);

/** Our labels of objects that no person created, and the origin that AIM Engine states for these. */
const origins = new Map(
  Object.entries({
    "derived-template": "derived",
    "auto-generated": "auto-generated",
    "auto-created": "auto-generated",
    "custom-model": "auto-generated",
  }),
);

/**
 * A child with the labels by which AIM Engine finds it, beside its own, which stay. Pods of a Job and selectors are left alone: they
 * cannot be changed.
 */
export function withEngineLabels(owner: KubeObject, child: KubeObject): KubeObject {
  const controller = controllers.get(owner.kind ?? "");
  if (controller === undefined) return child;
  const name = labelValueOf(owner.metadata.name ?? "");
  const given = pick(owner.metadata.labels ?? {}, handedDown);
  const added = { ...given, [key(`${controller}.name`)]: name, ...ofKind(owner, child), ...originOf(child) };
  const labels = { ...added, ...child.metadata.labels };
  const labelled = { ...child, metadata: { ...child.metadata, labels } };
  return child.kind === "Deployment" ? withPodLabels(labelled, { [key("service.name")]: name }) : labelled;
}

function ofKind(owner: KubeObject, { kind = "", metadata }: KubeObject): Labels {
  const name = labelValueOf(owner.metadata.name ?? "");
  const spec = specOf(owner);
  const of = `${owner.kind} ${kind}`;
  if (owner.kind === "AIMService") return { [key("service")]: name };
  if (of === "AIMTemplateCache AIMArtifact")
    return textLabels({ "template.name": spec.templateName, "template.scope": spec.templateScope });
  if (owner.kind === "AIMArtifact") {
    const component = isMeasureName(metadata.name ?? "") ? "check-size" : "download";
    return { [key("cache.name")]: name, ...(kind === "Job" ? { [key("component")]: component } : {}) };
  }
  return kind === "Job" ? { [key("template")]: name, "app.kubernetes.io/component": "discovery" } : {};
}

function originOf({ apiVersion, metadata: { labels = {} } }: KubeObject): Labels {
  if (apiVersion !== `${eaiGroup.group}/${eaiGroup.version}`) return {};
  const origin = [...origins].find(([name]) => labels[key(name)] === "true")?.[1];
  return origin === undefined ? {} : { [key("origin")]: origin };
}

function withPodLabels(child: KubeObject, added: Labels): KubeObject {
  const spec = specOf(child);
  const { metadata = {}, ...template } = isObject(spec.template) ? spec.template : {};
  const pods = isObject(metadata) ? metadata : {};
  const labels = { ...added, ...(isObject(pods.labels) ? pods.labels : {}) };
  return { ...child, spec: { ...spec, template: { ...template, metadata: { ...pods, labels } } } } as KubeObject;
}

const specOf = (object: KubeObject): JsonObject => {
  const { spec } = object as { spec?: Json };
  return isObject(spec) ? spec : {};
};

const pick = (labels: Labels, keys: readonly string[]): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([one]) => keys.includes(one)));

const textLabels = (values: Readonly<Record<string, Json | undefined>>): Labels =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === "string" ? [[key(name), labelValueOf(value)]] : [],
    ),
  );
