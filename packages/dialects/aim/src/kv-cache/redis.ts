import type { ServicePlan, StatefulPlan } from "@trivium/domain";
import type { api, ObjectOf } from "@trivium/kube";
import type { AIMKVCache } from "../kinds/kv-cache.ts";
import { labels } from "../labels.ts";
import { derivedName, labelValueOf } from "../names.ts";

export type KVCache = ObjectOf<typeof AIMKVCache>;
export type KVCacheStatus = NonNullable<KVCache["status"]>;

export const port = 6379;
const typeOf = ({ spec }: KVCache): string => spec?.kvCacheType ?? "redis";
const hashed = ({ metadata: { namespace = "", name = "" } }: KVCache): string[] => [namespace, name];

export const setNameOf = (cache: KVCache): string =>
  derivedName([cache.metadata.name ?? "", typeOf(cache)], hashed(cache));
export const addressNameOf = (cache: KVCache): string =>
  derivedName([cache.metadata.name ?? "", typeOf(cache), "svc"], hashed(cache));

const labelsOf = (cache: KVCache): Record<string, string> => ({
  app: "redis",
  [labels.kvCache]: labelValueOf(cache.metadata.name ?? ""),
  [labels.kvCacheType]: typeOf(cache),
});

export function planAddress(cache: KVCache): ServicePlan {
  const own = labelsOf(cache);
  return {
    name: addressNameOf(cache),
    labels: own,
    selector: own,
    type: "ClusterIP",
    ports: [{ name: "redis", port, target: port }],
  };
}

const usualResources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } };
export const usualSize = "1Gi";

export function planRedis(cache: KVCache): StatefulPlan {
  const { image, env, storage, resources } = cache.spec ?? {};
  const own = labelsOf(cache);
  const container: api.Container = {
    name: "redis",
    image: image || "redis:7.2.4",
    command: ["redis-server", "--appendonly", "yes", "--save", "60", "1", "--loglevel", "notice"],
    ports: [{ name: "redis", containerPort: port, protocol: "TCP" }],
    ...(env === undefined || env.length === 0 ? {} : { env }),
    resources: resources ?? usualResources,
    volumeMounts: [{ name: "redis-data", mountPath: "/data" }],
    livenessProbe: {
      tcpSocket: { port },
      initialDelaySeconds: 30,
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 3,
    },
    readinessProbe: {
      exec: { command: ["redis-cli", "ping"] },
      initialDelaySeconds: 5,
      periodSeconds: 5,
      timeoutSeconds: 3,
      failureThreshold: 3,
    },
    terminationMessagePolicy: "FallbackToLogsOnError",
  };
  const modes = storage?.accessModes as api.PersistentVolumeClaimSpec["accessModes"];
  return {
    name: setNameOf(cache),
    labels: own,
    selector: own,
    serviceName: addressNameOf(cache),
    replicas: 1,
    pod: { labels: own, annotations: {}, spec: { containers: [container] } },
    claims: [
      {
        name: "redis-data",
        size: String(storage?.size ?? usualSize),
        storageClass: storage?.storageClassName,
        accessModes: modes === undefined || modes.length === 0 ? ["ReadWriteOnce"] : modes,
      },
    ],
  };
}
