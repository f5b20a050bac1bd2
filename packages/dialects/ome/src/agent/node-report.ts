import type { ArtifactReport, RepositoryFile } from "@trivium/domain";
import { emitConfigMap } from "@trivium/emitters";
import { sizeListedWeights } from "@trivium/engines";
import type { ConfigMap } from "@trivium/kube";
import { formatTime } from "@trivium/std";
import { describeWeights } from "../fine-tuned-weight/discovery/describe-weights.ts";
import { describeFiles } from "../model/discovery/describe-files.ts";
import type { NodeEntry, NodeModelState } from "../model/weights/node-entry.ts";
import { type ModelName, modelKeyOf, modelLabelOf, nodeStatusLabel, sourceHashOf, storedName } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import type { Stored } from "../storage/place.ts";

/** A model and how far its node is with it. */
export interface HeldModel {
  readonly object: Stored;
  readonly report: ArtifactReport;
}

type Texts = Record<string, string>;

/** What a node says of the models it holds, as labels and as entries of its ConfigMap. */
export function describeHeld(held: readonly HeldModel[]): { readonly labels: Texts; readonly data: Texts } {
  const labels: Texts = {};
  const data: Texts = {};
  for (const { object, report } of held) {
    const model = storedName(object);
    labels[modelLabelOf(model)] = stateOf(report);
    data[modelKeyOf(model)] = JSON.stringify({ ...entryOf(model, report), source: sourceHashOf(object) });
  }
  return { labels, data };
}

const states = { ready: "Ready", updating: "Updating", failed: "Failed" } as const;
const stateOf = ({ is }: ArtifactReport): Exclude<NodeModelState, "Deleted"> => states[is];

function entryOf({ is, name }: ModelName, report: ArtifactReport): NodeEntry {
  const status = stateOf(report);
  switch (report.is) {
    case "failed": {
      const { why, exitCode, retry } = report;
      const failed = { name, status, message: why.slice(0, 1024), ...(exitCode === undefined ? {} : { exitCode }) };
      if (retry === undefined) return failed;
      return { ...failed, retry: { failures: retry.failures, nextTry: formatTime(retry.nextAt) } };
    }
    case "updating": {
      const listed = report.listed === undefined ? {} : { listed: listedOf(report.listed) };
      if (report.progress === undefined)
        return { name, status, ...(report.isQueued ? { queued: true as const } : {}), ...listed };
      const { bytes, total, rate, at } = report.progress;
      const progress = {
        phase: "Downloading",
        totalBytes: total,
        completedBytes: bytes,
        speedBytesPerSec: Math.round(rate),
        lastUpdated: formatTime(at),
      };
      return { name, status, progress, ...listed };
    }
    case "ready": {
      const describe = is === "weights" ? describeWeights : describeFiles;
      const config = report.read === undefined ? undefined : describe(report.read);
      const [problem] = report.read?.problems ?? [];
      return {
        name,
        status,
        ...(config === undefined ? {} : { config }),
        ...(report.listed === undefined ? {} : { listed: listedOf(report.listed) }),
        ...(problem === undefined ? {} : { message: problem.slice(0, 1024) }),
      };
    }
  }
}

function listedOf(files: readonly RepositoryFile[]): NonNullable<NodeEntry["listed"]> {
  const weightBytes = sizeListedWeights(files);
  return weightBytes === undefined ? {} : { weightBytes };
}

/** The ConfigMap of a node, without its entries. */
export function nodeReportOf(node: string, { namespace }: OmeOptions): ConfigMap {
  return emitConfigMap({
    name: node,
    namespace,
    labels: { [nodeStatusLabel]: "true", ...(node.length <= 63 ? { node } : {}) },
    annotations: { "models.ome.io/node-name": node, "models.ome.io/managed-by": "trivium" },
  }).object;
}
