import type { SimpleService, WrittenService } from "@trivium/domain";
import { apiVersionOf } from "@trivium/kube";
import { InferenceService } from "./kinds/inference-service.ts";
import { Model } from "./kinds/model.ts";

/** A Model, and an InferenceService of the same name. */
export function writeService({ name, namespace, labels, contextTokens, ...weights }: SimpleService): WrittenService {
  const { source } = weights;
  if (source.startsWith("s3://"))
    return { is: "impossible", why: "LLMKube does not download from S3; use --as aim or --as ome" };
  const metadata = { name, namespace, labels };
  const model = { apiVersion: apiVersionOf(Model), kind: Model.kind, metadata, spec: sourceOf(weights) };
  const context = contextTokens === undefined ? {} : { contextSize: contextTokens };
  const service = {
    apiVersion: apiVersionOf(InferenceService),
    kind: InferenceService.kind,
    metadata,
    spec: { modelRef: name, ...context, jinja: true },
  };
  return { is: "written", objects: [model, service] };
}

/** One file of a repository is part of the address; several are a list. */
function sourceOf({ source, files }: Pick<SimpleService, "source" | "files">) {
  const [only, ...more] = files;
  if (only === undefined) return { source };
  return more.length === 0 ? { source: fileUri(source, only) } : { source, files: [...files] };
}

/** `hf://org/repo@revision` and a file: the revision comes last. */
function fileUri(source: string, file: string): string {
  const [repository = source, revision] = source.split("@");
  return `${repository}/${file}${revision === undefined ? "" : `@${revision}`}`;
}
