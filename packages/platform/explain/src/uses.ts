import type { AnyObject } from "@trivium/kube";
import type { StatusGuide } from "@trivium/reconcile";

/** The name of the model of a service, among all that it depends on. */
export const modelNameOf = (service: AnyObject, { uses, models }: StatusGuide): string | undefined =>
  uses(service).find(({ kinds }) => kinds.some((kind) => models.includes(kind)))?.name;
