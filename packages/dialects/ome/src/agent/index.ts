import type { ConfigMap, Kind, Node } from "@trivium/kube";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import { parseModelKey } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import type { Stored } from "../storage/place.ts";
import { describeHeld, type HeldModel, nodeReportOf } from "./node-report.ts";
import { type ModelRequest, requestOf } from "./requests.ts";

/** Models and tuned weights on nodes, for whoever runs an agent there: what a node should hold, and how it says what it holds. */
export interface ModelStore {
  readonly kinds: readonly Kind<Stored>[];
  requestsOf(model: Stored, node: Node): ModelRequest;
  describe(held: readonly HeldModel[]): {
    readonly labels: Record<string, string>;
    readonly data: Record<string, string>;
  };
  reportOf(node: string): ConfigMap;
  /** Whose files a key means, for whoever counts. */
  subjectOf(key: string): { readonly kind: string; readonly namespace: string; readonly name: string };
}

export function modelStoreOf(options: OmeOptions): ModelStore {
  return {
    kinds: [BaseModel, ClusterBaseModel, FineTunedWeight] as readonly Kind<Stored>[],
    requestsOf: (model, node) => requestOf(model, node, options),
    describe: describeHeld,
    reportOf: (node) => nodeReportOf(node, options),
    subjectOf: parseModelKey,
  };
}
