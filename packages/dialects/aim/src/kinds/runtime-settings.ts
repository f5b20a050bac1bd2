import { bool, int32, list, map, obj, oneOf, opt, quantity, str } from "@trivium/schema";

/** Where a route hangs: a reference of the Gateway API. */
const gatewayReference = obj("The Gateway that routes are attached to; it may be in any namespace", {
  group: opt(str("API group of the parent", { default: "gateway.networking.k8s.io", maxLength: 253 })),
  kind: opt(str("Kind of the parent", { default: "Gateway", minLength: 1, maxLength: 63 })),
  namespace: opt(str("Namespace of the Gateway; that of the route when left out", { minLength: 1, maxLength: 63 })),
  name: str("Name of the Gateway", { minLength: 1, maxLength: 253 }),
  sectionName: opt(
    str("Listener of the Gateway to attach to; all of them when left out", { minLength: 1, maxLength: 253 }),
  ),
  port: opt(int32("Port of the Gateway to attach to; all of them when left out", { minimum: 1, maximum: 65535 })),
});

const pathDescription =
  "Path under which a service is reached, with fields of the AIMService in braces, such as /{.metadata.namespace}/{.metadata.name}. Each part is made safe for a URL; a field that is missing makes the service not ready and says so";

const routing = obj("How services are reached over HTTP", {
  enabled: opt(bool("Whether an HTTPRoute is made for each service")),
  gatewayRef: opt(gatewayReference),
  pathTemplate: opt(str(`${pathDescription}. The path is /namespace/uid when left out`)),
  routeTemplate: opt(str("Older spelling of pathTemplate, which wins when both are set")),
  annotations: opt(map("Annotations for the HTTPRoute", str("Value of the annotation"))),
  requestTimeout: opt(str("Longest time a request may take, such as 30s or 5m; no limit when left out")),
});

const labelPropagation = obj("Which labels children take over from their parent", {
  enabled: opt(bool("Whether labels are handed down", { default: false })),
  match: opt(list("Label keys to hand down; * stands for any characters", str("A label key, such as org.example/*"))),
});

const storageFields = {
  defaultStorageClassName: opt(str("Storage class for model caches that name none")),
  pvcHeadroomPercent: opt(int32("Extra room on each volume, in percent of the size of the weights", { minimum: 0 })),
  accessModes: opt(
    list(
      "How volumes for weights may be mounted; ReadWriteMany when left out, so that several nodes can share them",
      oneOf("An access mode", ["ReadWriteOnce", "ReadWriteMany"]),
      { minItems: 1, maxItems: 1 },
    ),
  ),
};
const storageDescription = "Volumes for model weights; the newer place of the two settings above";
const storage = obj(storageDescription, storageFields);

/** Only whoever gives to all can say how much all together may take. */
export const configStorage = obj(storageDescription, {
  ...storageFields,
  maxCacheBytes: opt(
    quantity(
      "Most that the claims of all model caches of a namespace may take together, such as 2Ti. Weights that nobody uses make room for new ones, those used longest ago first; no limit when left out",
    ),
  ),
});

/** Settings that a runtime config gives to all and a service may override for itself. */
export const overridableSettings = {
  defaultStorageClassName: opt(
    str("Storage class for model caches that name none; the cluster's default class when left out here too"),
  ),
  pvcHeadroomPercent: opt(
    int32("Extra room on each volume, in percent of the size of the weights; 10 when left out everywhere", {
      minimum: 0,
    }),
  ),
  storage: opt(storage),
  routing: opt(routing),
  labelPropagation: opt(labelPropagation),
};

const creationScope = opt(
  // No value is filled in: a namespace that says nothing leaves it to the cluster's settings.
  oneOf("Scope of models that are created because a service names an image; Namespace when left out everywhere", [
    "Namespace",
    "Cluster",
  ]),
);
const autoDiscovery = "Whether models look into their image by default to find out how it can run";

/** How models that are created on behalf of a service come about. */
export const modelSettings = { autoDiscovery: opt(bool(autoDiscovery, { default: true })), creationScope };

/** The same for the model of one service. No value is filled in: a service that says nothing leaves it to the runtime config. */
export const ownModelSettings = {
  autoDiscovery: opt(bool(`${autoDiscovery}. Wins over the runtime config; true when left out everywhere`)),
  creationScope,
};
