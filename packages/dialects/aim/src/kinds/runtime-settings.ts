import { bool, int32, list, map, obj, oneOf, opt, quantity, str } from "@trivium/schema";

/** Where a route hangs: a reference of the Gateway API. */
const gatewayReference = obj("Gateway that routes attach to, in any namespace", {
  group: opt(str("API group of the parent", { default: "gateway.networking.k8s.io", maxLength: 253 })),
  kind: opt(str("Kind of the parent", { default: "Gateway", minLength: 1, maxLength: 63 })),
  namespace: opt(
    str("Namespace of the Gateway; defaults to the namespace of the route", { minLength: 1, maxLength: 63 }),
  ),
  name: str("Name of the Gateway", { minLength: 1, maxLength: 253 }),
  sectionName: opt(
    str("Listener of the Gateway to attach to; all listeners if omitted", { minLength: 1, maxLength: 253 }),
  ),
  port: opt(int32("Port of the Gateway to attach to; all ports if omitted", { minimum: 1, maximum: 65535 })),
});

const pathDescription =
  "Path of the service, with fields of the AIMService in braces, such as /{.metadata.namespace}/{.metadata.name}. Each segment is converted to a URL-safe form. If a field is missing, the service is not ready and its status reports the field";

const routing = obj("HTTP routing of services", {
  enabled: opt(bool("Whether to create an HTTPRoute for each service")),
  gatewayRef: opt(gatewayReference),
  pathTemplate: opt(str(`${pathDescription}. Defaults to /namespace/uid`)),
  routeTemplate: opt(str("Older name of pathTemplate; ignored if pathTemplate is set")),
  annotations: opt(map("Annotations for the HTTPRoute", str("Value of the annotation"))),
  requestTimeout: opt(str("Timeout of a request, such as 30s or 5m; no timeout if omitted")),
});

const labelPropagation = obj("Labels that child objects inherit from their parent", {
  enabled: opt(bool("Whether child objects inherit labels", { default: false })),
  match: opt(list("Label keys to inherit; * matches any characters", str("A label key, such as org.example/*"))),
});

const storageFields = {
  defaultStorageClassName: opt(str("Storage class for model caches that specify none")),
  pvcHeadroomPercent: opt(int32("Extra space on each volume, in percent of the size of the weights", { minimum: 0 })),
  accessModes: opt(
    list(
      "Access mode of volumes for weights; defaults to ReadWriteMany, so that several nodes can share them",
      oneOf("An access mode", ["ReadWriteOnce", "ReadWriteMany"]),
      { minItems: 1, maxItems: 1 },
    ),
  ),
};
const storageDescription = "Volumes for model weights; replaces the two settings above";
const storage = obj(storageDescription, storageFields);

/** Only whoever gives to all can say how much all together may take. */
export const configStorage = obj(storageDescription, {
  ...storageFields,
  maxCacheBytes: opt(
    quantity(
      "Maximum total size of the PersistentVolumeClaims of all model caches in a namespace, such as 2Ti. Unused weights are deleted to free space for new ones, least recently used first; no limit if omitted",
    ),
  ),
});

/** Settings that a runtime config gives to all and a service may override for itself. */
export const overridableSettings = {
  defaultStorageClassName: opt(
    str("Storage class for model caches that specify none; defaults to the cluster's default class"),
  ),
  pvcHeadroomPercent: opt(
    int32("Extra space on each volume, in percent of the size of the weights; defaults to 10", {
      minimum: 0,
    }),
  ),
  storage: opt(storage),
  routing: opt(routing),
  labelPropagation: opt(labelPropagation),
};

const creationScope = opt(
  // No value is filled in: a namespace that says nothing leaves it to the cluster's settings.
  oneOf("Scope of models that are created for services that specify an image; defaults to Namespace", [
    "Namespace",
    "Cluster",
  ]),
);
const autoDiscovery = "Whether models inspect their image by default to discover how it can run";

/** How models that are created on behalf of a service come about. */
export const modelSettings = { autoDiscovery: opt(bool(autoDiscovery, { default: true })), creationScope };

/** The same for the model of one service. No value is filled in: a service that says nothing leaves it to the runtime config. */
export const ownModelSettings = {
  autoDiscovery: opt(bool(`${autoDiscovery}. Overrides the runtime config; defaults to true`)),
  creationScope,
};
