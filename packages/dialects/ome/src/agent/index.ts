import type { ConfigMap, Kind, Node } from "@trivium/kube";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import type { OmeOptions } from "../options.ts";
import { describeHeld, type HeldModel, nodeReportOf } from "./node-report.ts";
import { type ModelWish, wishOf } from "./wishes.ts";

/** Models on nodes, for whoever runs an agent there: what a node should hold, and how it says what it holds. */
export interface ModelHoldings {
  readonly kinds: readonly Kind<BaseModel>[];
  wishesOf(model: BaseModel, node: Node): ModelWish;
  describe(held: readonly HeldModel[]): {
    readonly labels: Record<string, string>;
    readonly data: Record<string, string>;
  };
  reportOf(node: string): ConfigMap;
}

export function modelHoldings(options: OmeOptions): ModelHoldings {
  return {
    kinds: [BaseModel, ClusterBaseModel],
    wishesOf: (model, node) => wishOf(model, node, options),
    describe: describeHeld,
    reportOf: (node) => nodeReportOf(node, options),
  };
}
