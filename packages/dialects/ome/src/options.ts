/** What whoever runs the operator decides for all models and services. */
export interface OmeOptions {
  /** Where the operator's own objects are: among them what each node says of its models. */
  readonly namespace: string;
  /** Folder of nodes that holds models whose `storage.path` is left out. */
  readonly modelsRoot: string;
  /** The image with `trivium-weights`, which looks into claims. */
  readonly images: { readonly weights: string };
  readonly ingress: IngressOptions;
}

export interface IngressOptions {
  /** `gateway` makes an HTTPRoute for each service; `none` leaves it at the Service that has its name. */
  readonly strategy: "gateway" | "none";
  /** `namespace/name` of the Gateway that routes hang on. */
  readonly gateway: string;
  readonly domain: string;
  readonly scheme: "http" | "https";
}

export const defaultOptions: OmeOptions = {
  namespace: "ome",
  modelsRoot: "/mnt/data/models",
  images: { weights: "ghcr.io/trivium/trivium-weights:0.1.0" },
  ingress: { strategy: "none", gateway: "", domain: "svc.cluster.local", scheme: "http" },
};
