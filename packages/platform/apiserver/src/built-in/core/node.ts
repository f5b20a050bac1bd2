import type { Node } from "@trivium/kube";
import { traits } from "../traits.ts";
import { checkNode } from "./check-node.ts";
import { defaultNode } from "./defaults.ts";
import { nodeCells } from "./node-table.ts";

export const node = traits<Node>({
  validate: checkNode,
  defaults: defaultNode,
  keepsStatusOnCreate: true,
  selectableFields: ["spec.unschedulable"],
  cells: nodeCells,
});
