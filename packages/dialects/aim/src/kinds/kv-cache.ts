import { defineKind } from "@trivium/kube";
import { int32, list, obj, oneOf, opt, quantity, str } from "@trivium/schema";
import { group } from "../group.ts";
import { env, resources } from "./pod-fields.ts";
import { conditions, observedGeneration, state } from "./status-fields.ts";
import { immutable } from "./vocabulary.ts";

/** Settings of a key-value cache; a service states them too, for the cache it may have to create. */
export const kvCacheSettings = {
  image: opt(str("Image of the cache; redis:7.2.4 when left out")),
  env: opt(env("Variables for the cache container")),
  storage: opt(
    obj("The volume of the cache. Cannot be changed once the cache exists", {
      size: opt(
        quantity("Size of the volume; less than 1Gi is too little for Redis", { default: "1Gi", ...immutable("size") }),
      ),
      storageClassName: opt(
        str("Storage class of the volume; the cluster's default when left out", immutable("storageClassName")),
      ),
      accessModes: opt(
        list("How the volume may be mounted", str("An access mode, such as ReadWriteOnce or ReadWriteMany"), {
          default: ["ReadWriteOnce"],
          ...immutable("accessModes"),
        }),
      ),
    }),
  ),
  passwordSecret: opt(
    obj("Secret of the namespace with the password that clients must give; none is asked for when left out", {
      name: str("Name of the Secret", { minLength: 1 }),
      key: opt(
        str("Its entry that is the password; letters, digits and -._~ only, since clients put it into an address", {
          default: "password",
        }),
      ),
    }),
  ),
  resources: opt(resources("Resources of the cache container; one CPU and 1Gi of memory when left out")),
};

export const kvCacheTypes = ["redis"] as const;

const spec = obj("The cache to run", {
  kvCacheType: opt(oneOf("Which kind of cache", kvCacheTypes, { default: "redis" })),
  ...kvCacheSettings,
});

const status = obj("What is known of the cache", {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
  status: opt(state("State of the cache", ["Pending", "Progressing", "Ready", "Failed"])),
  statefulSetName: opt(str("StatefulSet that runs the cache")),
  serviceName: opt(str("Service in front of it")),
  endpoint: opt(str("Address of the cache, such as redis://name:6379")),
  replicas: opt(int32("Pods it should have")),
  readyReplicas: opt(int32("Pods that answer")),
  storageSize: opt(str("Size of its volume")),
  lastError: opt(str("What is wrong at the moment; empty when nothing is")),
});

export const AIMKVCache = defineKind({
  ...group,
  scope: "Namespaced",
  kind: "AIMKVCache",
  plural: "aimkvcaches",
  shortNames: ["aimkvc"],
  description:
    "A key-value cache that services of this namespace share, so that known prompts need not be computed again",
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
});
