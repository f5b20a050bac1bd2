import { keepObject } from "@trivium/emitters";
import { ownerReferenceTo } from "@trivium/kube";
import type { Desired, Patch, Reconciler } from "@trivium/reconcile";
import { bareKind } from "../bare-kind.ts";
import { catalogPaths } from "../field-paths.ts";
import { AIMClusterModelSource } from "../kinds/cluster-model-source.ts";
import { AIMClusterModel } from "../kinds/model.ts";
import { annotations, labels } from "../labels.ts";
import { labelValueOf } from "../names.ts";
import type { ModelSource } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import { raiseRefused } from "../refused.ts";
import { noSettings, type Settings } from "../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../runtime-config/settings/propagate-labels.ts";
import { resolveRuntimeConfig } from "../runtime-config/settings/resolve.ts";
import { maxModelsOf, type ObservedSource, observeSource, sourceReads } from "./observe.ts";
import { raiseSource } from "./raise.ts";
import { type FoundImage, findImages, imageTextOf, inOrder, modelNameOf } from "./selection/find-images.ts";

/** A source becomes models, one for each image that it finds, up to a limit. It only ever adds: what it made stays as it is. */
export function modelSourceReconciler(options: AimOptions): Reconciler<ModelSource, ObservedSource> {
  return {
    name: "aim.model-source",
    kind: AIMClusterModelSource,
    reads: sourceReads,
    writes: [AIMClusterModel],
    observe: (source, reader) => observeSource(source, reader, options),
    decide(source, observed, now) {
      const reports = findImages(source, observed.filters);
      const found = inOrder(reports.flatMap(({ images }) => images));
      const there = new Set(observed.models.map(({ name }) => name));
      const images = new Set(observed.models.map(({ image }) => image));
      const taken = new Set(observed.taken);
      const missing = found.filter((image) => !there.has(modelNameOf(image)) && !images.has(imageTextOf(image)));
      const free = missing.filter((image) => !taken.has(modelNameOf(image)));
      const fresh = free.slice(0, Math.max(0, maxModelsOf(source) - there.size));
      const { status, notes } = raiseSource(source, {
        reports,
        available: found.length,
        discovered: there.size + fresh.length,
        leftOut: free.length - fresh.length,
        vanished: vanishedImages(observed, found),
        now,
        missingSecrets: observed.secrets.flatMap(({ is, name }) => (is === "missing" ? [name] : [])).sort(),
      });
      const config = resolveRuntimeConfig(observed.config);
      // A list that is on its way for the first time may change which images the limit leaves out.
      const isUnsure = reports.some(({ isPending }) => isPending) || config.is === "unknown";
      // What was said of this very spec stands until all of it is heard again.
      const isSaid = source.status !== undefined && source.status.observedGeneration === source.metadata.generation;
      if (isUnsure) return isSaid ? { do: "hold", status: source.status ?? {} } : { do: "hold", status, notes };
      const settings = config.is === "resolved" ? config.settings : noSettings;
      const orphans = observed.models.filter(({ isOrphan }) => isOrphan).map(({ name }) => name);
      const own = [...there].filter((name) => !orphans.includes(name)).sort();
      const children = [
        ...own.map((name) => keepObject(AIMClusterModel, { name })),
        ...fresh.map((image) => emitModel(source, image, settings)),
      ];
      const patches = orphans.sort().map((name) => adopt(source, name));
      return { do: "converge", children, ...(patches.length === 0 ? {} : { patches }), status, notes };
    },
    refused: (source, status, refusals) =>
      raiseRefused({ paths: catalogPaths, state: "Degraded", overall: ["Degraded"] }, source, status, refusals),
  };
}

function vanishedImages({ models }: ObservedSource, found: readonly FoundImage[]): string[] {
  const present = new Set(found.map(imageTextOf));
  return models.flatMap(({ image }) => (present.has(image) ? [] : [image])).sort();
}

const apiVersion = `${AIMClusterModel.group}/${AIMClusterModel.version}`;

function adopt(source: ModelSource, name: string): Patch {
  const metadata = { name, ownerReferences: [ownerReferenceTo(source)] };
  return {
    patch: "fields",
    kind: bareKind(AIMClusterModel),
    object: { apiVersion, kind: AIMClusterModel.kind, metadata },
  };
}

function emitModel({ metadata, spec }: ModelSource, image: FoundImage, settings: Settings): Desired {
  const { registry, repository, tag } = image;
  const object = {
    apiVersion,
    kind: AIMClusterModel.kind,
    metadata: {
      name: modelNameOf(image),
      labels: propagateLabels(settings, metadata.labels, {
        [labels.modelSource]: labelValueOf(metadata.name ?? ""),
        [labels.autoCreated]: "true",
      }),
      annotations: {
        [annotations.sourceRegistry]: registry,
        [annotations.sourceRepository]: repository,
        [annotations.sourceTag]: tag,
      },
    },
    spec: {
      image: imageTextOf(image),
      ...(spec.imagePullSecrets === undefined
        ? {}
        : { imagePullSecrets: spec.imagePullSecrets.map((one) => ({ ...one })) }),
    },
  };
  return { kind: AIMClusterModel, object, createOnly: true };
}
