import type { ServiceSummary, WeightsReader } from "@trivium/domain";
import type { KubeObject } from "@trivium/kube";
import type { StatusGuide } from "@trivium/reconcile";
import { statusGuide } from "../status-guide.ts";
import { summarizeService } from "../summarize-service.ts";
import { weightsReader } from "../weights-reader.ts";
import { toOlder } from "./objects.ts";

/** Like its counterpart of the older group, it needs no definition of a kind. */
export const eaiWeightsReader: WeightsReader = {
  downloadOf: (object) => weightsReader.downloadOf(toOlder(object)),
  sourceOf: (object) => weightsReader.sourceOf(toOlder(object)),
  storedOf: (object) => weightsReader.storedOf(toOlder(object)),
  weightsOf: (object) => weightsReader.weightsOf(toOlder(object)),
};

export const summarizeEaiService = (object: KubeObject): ServiceSummary => summarizeService(toOlder(object));

export const eaiStatusGuide: StatusGuide = {
  ...statusGuide,
  meanings: { ...statusGuide.meanings, fine: [...statusGuide.meanings.fine, "ModelResolved", "Ready"] },
  uses: (object) => statusGuide.uses(toOlder(object)),
  models: ["AIMModel", "AIMClusterModel"],
};
