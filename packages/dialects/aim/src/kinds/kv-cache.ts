import { defineKind } from "@trivium/kube";
import { int32, list, obj, oneOf, opt, quantity, str } from "@trivium/schema";
import { group } from "../group.ts";
import { env, resources } from "./pod-fields.ts";
import { conditions, observedGeneration, state } from "./status-fields.ts";
import { immutable } from "./vocabulary.ts";

/** Settings of a key-value cache; a service states them too, for the cache it may have to create. */
export const kvCacheSettings = {
  image: opt(str("Image of the cache; defaults to redis:7.2.4")),
  env: opt(env("Environment variables of the cache container")),
  storage: opt(
    obj("Volume of the cache. Immutable once the cache exists", {
      size: opt(quantity("Size of the volume; Redis needs at least 1Gi", { default: "1Gi", ...immutable("size") })),
      storageClassName: opt(
        str("Storage class of the volume; defaults to the cluster's default class", immutable("storageClassName")),
      ),
      accessModes: opt(
        list("Access modes of the volume", str("An access mode, such as ReadWriteOnce or ReadWriteMany"), {
          default: ["ReadWriteOnce"],
          ...immutable("accessModes"),
        }),
      ),
    }),
  ),
  passwordSecret: opt(
    obj(
      "Secret in the same namespace with the password that clients must provide; no password is required if omitted",
      {
        name: str("Name of the Secret", { minLength: 1 }),
        key: opt(
          str(
            "Key of the Secret that holds the password. The password can contain only letters, digits and -._~ because clients use it in a URL",
            {
              default: "password",
            },
          ),
        ),
      },
    ),
  ),
  resources: opt(resources("Resources of the cache container; defaults to 1 CPU and 1Gi of memory")),
};

export const kvCacheTypes = ["redis"] as const;

const spec = obj("Desired state of the cache", {
  kvCacheType: opt(oneOf("Type of the cache", kvCacheTypes, { default: "redis" })),
  ...kvCacheSettings,
});

const status = obj("Observed state of the cache", {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
  status: opt(state("State of the cache", ["Pending", "Progressing", "Ready", "Failed"])),
  statefulSetName: opt(str("StatefulSet that runs the cache")),
  serviceName: opt(str("Service of the cache")),
  endpoint: opt(str("Address of the cache, such as redis://name:6379")),
  replicas: opt(int32("Number of desired pods")),
  readyReplicas: opt(int32("Number of ready pods")),
  storageSize: opt(str("Size of the volume")),
  lastError: opt(str("Current failure; empty if there is none")),
});

/** All of the kind but its group. */
export const kvCacheDefinition = {
  scope: "Namespaced",
  kind: "AIMKVCache",
  plural: "aimkvcaches",
  shortNames: ["aimkvc"],
  description: "A key-value cache, shared by services of a namespace, that avoids recomputing known prompts",
  columns: [
    { name: "Type", type: "string", jsonPath: ".spec.kvCacheType" },
    { name: "Status", type: "string", jsonPath: ".status.status" },
    { name: "Ready", type: "integer", jsonPath: ".status.readyReplicas" },
    { name: "Endpoint", type: "string", jsonPath: ".status.endpoint", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec,
  specIsOptional: true,
  status,
} as const;

export const AIMKVCache = defineKind({ ...group, ...kvCacheDefinition });
