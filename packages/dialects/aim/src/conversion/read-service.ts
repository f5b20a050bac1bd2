import type { PortableService, ReadService } from "@trivium/domain";
import { type FieldPlace, type FieldReader, openFields, takeBounds, takeEnv, takeFirst } from "@trivium/engines";
import type { AnyObject } from "@trivium/kube";
import { formatHubUri, parseSourceUri } from "@trivium/std";
import { bareEngineOf } from "./engine-image.ts";
import { findModel, findTemplate } from "./find-objects.ts";
import { readHardware } from "./read-hardware.ts";

interface Source {
  readonly modelId?: string;
  readonly sourceUri: string;
}

/** An AIMService, with its model and template where they are separate objects, as a portable service. */
export function readService(object: AnyObject, others: readonly AnyObject[]): ReadService {
  const { name = "", namespace } = object.metadata;
  const service = openFields(object);
  const reference = findModel(service, others);
  if (reference.is === "missing")
    return { is: "impossible", why: `${reference.what} of AIMService ${name} not found; add it to the file` };
  const model = reference.model === undefined ? undefined : openFields(reference.model);
  const template = findTemplate(service, { others, model: reference.model });
  const readers = { service, model, template: template && openFields(template) };
  const weights = readWeights(readers, template, name);
  if (weights === undefined) return { is: "impossible", why: unknownWeights(name) };
  const labels = service.take<Record<string, string>>("labels", "metadata", "labels") ?? {};
  const modelName = reference.model?.metadata.name;
  const all = [service, readers.template, model].flatMap((one) => one ?? []);
  if (reference.model?.kind.startsWith("AIMCluster")) model?.note("modelScope", ["kind"], reference.model.kind);
  const portable: PortableService = {
    name,
    namespace,
    labels,
    annotations: service.take("annotations", "metadata", "annotations"),
    modelName: modelName === name ? undefined : modelName,
    modelScope: reference.model?.kind.startsWith("AIMCluster") ? "cluster" : undefined,
    ...weights,
    ...readPod(all, readers),
    ...readScale(service),
    ...readHardware(readers),
  };
  return { is: "read", service: portable, fields: all.flatMap((reader) => reader.fields()) };
}

const unknownWeights = (name: string): string =>
  `the weights of AIMService ${name} are known to its image only; add its AIMServiceTemplate to the file with its status (kubectl get -o yaml), or set spec.model.custom.modelSources`;

export interface ServiceReaders {
  readonly service: FieldReader;
  readonly model: FieldReader | undefined;
  readonly template: FieldReader | undefined;
}

/** Weights that the service, the template or the model names; else those that discovery found for the template. */
function readWeights(
  { service, model, template }: ServiceReaders,
  live: AnyObject | undefined,
  name: string,
): Pick<PortableService, "source" | "files" | "format" | "servedName"> | undefined {
  const places: FieldPlace[] = [[service, "spec", "model", "custom", "modelSources"]];
  if (template !== undefined) places.push([template, "spec", "modelSources"]);
  if (model !== undefined) places.push([model, "spec", "modelSources"]);
  for (const [reader, ...path] of places) {
    const [first, ...more] = reader.skip<Source[]>(...path) ?? [];
    if (first === undefined) continue;
    const { sourceUri, modelId, ...rest } = first;
    reader.note("source", [...path, "0", "sourceUri"], sourceUri);
    if (modelId !== undefined) reader.note("servedName", [...path, "0", "modelId"], modelId);
    for (const [key, value] of Object.entries(rest)) reader.note(undefined, [...path, "0", key], value as never);
    if (more.length > 0) reader.note(undefined, path, more as never);
    return { ...placeOf(sourceUri), servedName: modelId === `custom/${name}` ? undefined : modelId };
  }
  const status = live?.status as { modelSources?: Source[] } | undefined;
  const [found] = status?.modelSources ?? [];
  return found && { ...placeOf(found.sourceUri), servedName: found.modelId };
}

/** A file of a repository is part of the address here. The engines of AIM read safetensors; GGUF is named as such. */
function placeOf(text: string): Pick<PortableService, "source" | "files" | "format"> {
  const uri = parseSourceUri(text);
  const format = /gguf/i.test(text) ? undefined : "safetensors";
  if (uri.scheme !== "hub" || uri.path === undefined) return { source: text, files: [], format };
  return { source: formatHubUri({ repo: uri.repo, revision: uri.revision }), files: [uri.path], format };
}

function readPod(all: readonly FieldReader[], { service, model }: ServiceReaders): Partial<PortableService> {
  const { token, env } = takeEnv(all.map((reader) => [reader, "spec", "env"]));
  const images: FieldPlace[] = [[service, "spec", "model", "custom", "baseImage"]];
  if (model !== undefined) images.push([model, "spec", "image"]);
  images.push([service, "spec", "model", "image"]);
  const image = takeFirst<string>("image", images);
  return {
    token,
    env: env.length === 0 ? undefined : env,
    image,
    // An image of AIM chooses its engine itself; only that of an engine names one.
    engine: bareEngineOf(image),
    imagePullSecrets: secretsOf(all),
    serviceAccountName: takeFirst(
      "serviceAccountName",
      all.map((reader) => [reader, "spec", "serviceAccountName"]),
    ),
  };
}

function secretsOf(all: readonly FieldReader[]): readonly string[] | undefined {
  const names = all.flatMap(
    (reader) => reader.take<{ name: string }[]>("imagePullSecrets", "spec", "imagePullSecrets") ?? [],
  );
  return names.length === 0 ? undefined : [...new Set(names.map(({ name }) => name))];
}

function readScale(service: FieldReader): Partial<PortableService> {
  const bounds = takeBounds(service, { min: ["spec", "minReplicas"], max: ["spec", "maxReplicas"] });
  return bounds ?? { replicas: service.take("replicas", "spec", "replicas") };
}
