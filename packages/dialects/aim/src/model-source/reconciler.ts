import { formatImage } from "@trivium/engines";
import type { Desired, Reconciler } from "@trivium/reconcile";
import { AIMClusterModelSource } from "../kinds/cluster-model-source.ts";
import { AIMClusterModel } from "../kinds/model.ts";
import { annotations, labels } from "../labels.ts";
import { derivedName, labelValueOf } from "../names.ts";
import type { ModelSource } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import { type FoundImage, findImages, inOrder } from "./find-images.ts";
import { observeSource, type SourceSeen, sourceReads } from "./observe.ts";
import { raiseSource } from "./raise.ts";

/** A source becomes models, one for each image that it finds, up to a limit. It only ever adds: what it made stays as it is. */
export function modelSourceReconciler(options: AimOptions): Reconciler<ModelSource, SourceSeen> {
  return {
    name: "aim.model-source",
    kind: AIMClusterModelSource,
    reads: sourceReads,
    writes: [AIMClusterModel],
    observe: (source, look) => observeSource(source, look, options),
    decide(source, seen) {
      const reports = findImages(source, seen);
      const found = inOrder(reports.flatMap(({ images }) => images));
      const there = new Set(seen.models.map(({ name }) => name));
      const images = new Set(seen.models.map(({ image }) => image));
      const missing = found.filter((image) => !there.has(nameOf(image)) && !images.has(textOf(image)));
      const fresh = missing.slice(0, Math.max(0, (source.spec.maxModels ?? 100) - there.size));
      const { status, notes } = raiseSource(source, {
        reports,
        available: found.length,
        discovered: there.size + fresh.length,
        leftOut: missing.length - fresh.length,
        missingSecrets: seen.secrets.flatMap(({ is, name }) => (is === "missing" ? [name] : [])).sort(),
      });
      // A list that is on its way for the first time may change which images the limit leaves out.
      if (reports.some(({ isPending }) => isPending)) return { do: "hold", status, notes };
      const children = [...[...there].sort().map(keep), ...fresh.map((image) => emitModel(source, image))];
      return { do: "converge", children, status, notes };
    },
  };
}

const textOf = ({ registry, repository, tag }: FoundImage): string => formatImage(registry, repository, tag);

const nameOf = ({ registry, repository, tag }: FoundImage): string =>
  derivedName([repository, tag], [registry, repository, tag], { digits: 6 });

const apiVersion = `${AIMClusterModel.group}/${AIMClusterModel.version}`;

const keep = (name: string): Desired => ({
  kind: AIMClusterModel,
  object: { apiVersion, kind: AIMClusterModel.kind, metadata: { name } },
  keep: true,
});

function emitModel({ metadata, spec }: ModelSource, image: FoundImage): Desired {
  const { registry, repository, tag } = image;
  const object = {
    apiVersion,
    kind: AIMClusterModel.kind,
    metadata: {
      name: nameOf(image),
      labels: { [labels.modelSource]: labelValueOf(metadata.name ?? ""), [labels.autoCreated]: "true" },
      annotations: {
        [annotations.sourceRegistry]: registry,
        [annotations.sourceRepository]: repository,
        [annotations.sourceTag]: tag,
      },
    },
    spec: {
      image: textOf(image),
      ...(spec.imagePullSecrets === undefined
        ? {}
        : { imagePullSecrets: spec.imagePullSecrets.map((one) => ({ ...one })) }),
    },
  };
  return { kind: AIMClusterModel, object, createOnly: true };
}
