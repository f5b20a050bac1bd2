import { canaryReads } from "@trivium/engines";
import {
  Gateway,
  HorizontalPodAutoscaler,
  HTTPRoute,
  type Kind,
  KServeInferenceService,
  ScaledObject,
} from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { imageReads } from "../../images/observe-image.ts";
import { AIMKVCache } from "../../kinds/kv-cache.ts";
import { AIMClusterImage, AIMClusterModel, AIMImage, AIMModel } from "../../kinds/model.ts";
import { AIMModelCache } from "../../kinds/model-cache.ts";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "../../kinds/service-template.ts";
import { AIMTemplateCache } from "../../kinds/template-cache.ts";
import { runtimeConfigKinds } from "../../runtime-config/settings/resolve.ts";

/** Nearest first. */
export const modelKinds = [AIMModel, AIMImage, AIMClusterModel, AIMClusterImage] as const;
export const templateKinds = [AIMServiceTemplate, AIMClusterServiceTemplate] as const;

export const serviceReads = [
  ...modelKinds,
  ...templateKinds,
  ...runtimeConfigKinds,
  ...imageReads,
  AIMTemplateCache,
  AIMModelCache,
  AIMKVCache,
  KServeInferenceService,
  HorizontalPodAutoscaler,
  ScaledObject,
  ...canaryReads,
  HTTPRoute,
  Gateway,
] as const satisfies readonly Kind[];
export type ServiceReader = Reader<(typeof serviceReads)[number]>;
