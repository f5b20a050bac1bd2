import type { PortableService, ReadService } from "@trivium/domain";
import { type FieldReader, openFields, takeBounds } from "@trivium/engines";
import type { AnyObject } from "@trivium/kube";
import { formatFileUri, parseSourceUri } from "@trivium/std";
import { boundsOf } from "../inference-service/roles/replicas.ts";
import { ClusterBaseModel } from "../kinds/base-model.ts";
import { findModel, findRuntime } from "./find-objects.ts";
import { readComponent } from "./read-component.ts";

/** An InferenceService, its model and its runtime as a portable service: the engine of it. */
export function readService(object: AnyObject, others: readonly AnyObject[]): ReadService {
  const { name = "", namespace } = object.metadata;
  const service = openFields(object);
  const { name: modelName, model: found } = findModel(service, others);
  if (modelName === "")
    return { is: "impossible", why: `InferenceService ${name} names no model; set spec.model.name` };
  if (found === undefined)
    return {
      is: "impossible",
      why: `BaseModel ${modelName} of InferenceService ${name} not found; add it to the file`,
    };
  const beside = findRuntime(service, others);
  const [model, runtime] = [openFields(found), beside && openFields(beside)];
  const labels = service.take<Record<string, string>>("labels", "metadata", "labels") ?? {};
  for (const reader of [model, runtime]) reader?.skip("metadata", "labels");
  const isCluster = found.kind === ClusterBaseModel.kind;
  if (isCluster) model.note("modelScope", ["kind"], found.kind);
  for (const path of runtimeOnly) runtime?.skip(...path);
  const portable: PortableService = {
    name,
    namespace,
    labels,
    annotations: service.take("annotations", "metadata", "annotations"),
    modelName: modelName === name ? undefined : modelName,
    modelScope: isCluster ? "cluster" : undefined,
    ...readWeights(model),
    ...readScale(service),
    ...readComponent(service, runtime),
  };
  const readers = [service, model, ...(runtime === undefined ? [] : [runtime])];
  return { is: "read", service: portable, fields: readers.flatMap((reader) => reader.fields()) };
}

/** What a runtime says about the models it takes: other APIs choose the engine directly. */
const runtimeOnly = [
  ["spec", "supportedModelFormats"],
  ["spec", "protocolVersions"],
];

function readWeights(model: FieldReader): Pick<PortableService, "source" | "files" | "format" | "token"> {
  const uri = model.take<string>("source", "spec", "storage", "storageUri") ?? "";
  const place = parseSourceUri(uri);
  const format = model.skip<string>("spec", "modelFormat", "name");
  const isPortable = format === "gguf" || format === "safetensors";
  if (format !== undefined) model.note(isPortable ? "format" : undefined, ["spec", "modelFormat", "name"], format);
  const secret = model.take<string>("token", "spec", "storage", "key");
  const key = model.take<string>("token", "spec", "storage", "parameters", "secretKey");
  return {
    source: place.scheme === "local" ? formatFileUri(place.path) : uri,
    files: [],
    format: isPortable ? format : undefined,
    token: secret === undefined ? undefined : { name: secret, key: key ?? "token" },
  };
}

function readScale(service: FieldReader): Partial<PortableService> {
  const engine = ["spec", "engine"];
  const maxFor = (minReplicas: number) => boundsOf("engine", { minReplicas } as never).max;
  return takeBounds(service, { min: [...engine, "minReplicas"], max: [...engine, "maxReplicas"], maxFor }) ?? {};
}
