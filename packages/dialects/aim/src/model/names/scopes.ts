import type { Kind } from "@trivium/kube";
import { AIMClusterImage, AIMClusterModel, AIMImage, AIMModel } from "../../kinds/model.ts";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "../../kinds/service-template.ts";
import type { Template } from "../../objects.ts";
import type { ModelScope } from "../observe.ts";

const namespaced = AIMServiceTemplate as Kind<Template>;
const cluster = AIMClusterServiceTemplate as Kind<Template>;

/** The four kinds that mean a model: two scopes, two ages. A name is looked up in this order. */
export const modelScopes: readonly ModelScope[] = [
  { name: "aim.model", kind: AIMModel, templates: namespaced },
  { name: "aim.image", kind: AIMImage, templates: namespaced, hiddenBy: AIMModel },
  { name: "aim.cluster-model", kind: AIMClusterModel, templates: cluster },
  { name: "aim.cluster-image", kind: AIMClusterImage, templates: cluster, hiddenBy: AIMClusterModel },
];
