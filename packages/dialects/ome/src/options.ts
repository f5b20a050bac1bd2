import { ownImage } from "@trivium/domain";
import { type IngressSettings, ingressDefaults } from "./configuration/ingress-settings.ts";

/** What whoever runs the operator decides for all models and services. */
export interface OmeOptions {
  /** Where the operator's own objects are: among them what each node says of its models. */
  readonly namespace: string;
  /** Folder of nodes that holds models whose `storage.path` is left out. */
  readonly modelsRoot: string;
  /** The image with `trivium-weights`, which looks into claims. */
  readonly images: { readonly weights: string };
  /** Whether services in the older form are stored as they are and read as newer ones, or rewritten when they come. */
  readonly predictor: "read" | "rewrite";
  /** How services are reached, where the ConfigMap of the administrator does not say otherwise. */
  readonly ingress: IngressSettings;
}

export const defaultOptions: OmeOptions = {
  namespace: "ome",
  modelsRoot: "/mnt/data/models",
  images: { weights: ownImage("weights") },
  predictor: "read",
  ingress: ingressDefaults,
};
