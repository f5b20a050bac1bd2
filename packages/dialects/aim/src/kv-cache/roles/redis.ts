import type { ServicePlan, StatefulPlan } from "@trivium/domain";
import { resourcesBefore } from "@trivium/engines";
import type { api } from "@trivium/kube";
import {
  addressNameOf,
  type KVCache,
  labelsOf,
  type PasswordPlace,
  passwordOf,
  port,
  setNameOf,
} from "../names/names.ts";

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

const defaultResources = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } };
const defaultSize = "1Gi";

const defaultImage = "redis:7.2.4";

/** What a volume was made with stays: a StatefulSet cannot have another one later. */
export interface ObservedStorage {
  readonly size: string;
  readonly storageClass?: string;
  readonly accessModes: readonly string[];
}

export function planRedis(cache: KVCache, made?: ObservedStorage): StatefulPlan {
  const { image, env = [], storage, resources } = cache.spec ?? {};
  const own = labelsOf(cache);
  const password = passwordOf(cache);
  const variables = [...env, ...(password === undefined ? [] : [variableFrom("REDISCLI_AUTH", password)])];
  const settings = ["--appendonly", "yes", "--save", "60", "1", "--loglevel", "notice"];
  const container: api.Container = {
    name: "redis",
    image: image || defaultImage,
    command: ["redis-server", ...(password === undefined ? [] : [passwordFile]), ...settings],
    ports: [{ name: "redis", containerPort: port, protocol: "TCP" }],
    ...(variables.length === 0 ? {} : { env: variables }),
    resources: resources ?? defaultResources,
    volumeMounts: [
      { name: "redis-data", mountPath: "/data" },
      ...(password === undefined ? [] : [{ name: secretFolder.name, mountPath: secretFolder.path, readOnly: true }]),
    ],
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
  const modes = storage?.accessModes ?? [];
  const wanted: ObservedStorage = {
    size: String(storage?.size ?? defaultSize),
    ...(storage?.storageClassName === undefined ? {} : { storageClass: storage.storageClassName }),
    accessModes: modes.length === 0 ? ["ReadWriteOnce"] : modes,
  };
  const { size, storageClass, accessModes } = made ?? wanted;
  return {
    name: setNameOf(cache),
    labels: own,
    selector: own,
    serviceName: addressNameOf(cache),
    replicas: 1,
    pod: {
      labels: own,
      annotations: {},
      spec: {
        ...(password === undefined ? {} : withPassword(container, password)),
        containers: [container],
      },
    },
    claims: [{ name: "redis-data", size, storageClass, accessModes: accessModes as AccessModes }],
  };
}

type AccessModes = NonNullable<api.PersistentVolumeClaimSpec["accessModes"]>;

const variableFrom = (name: string, place: PasswordPlace): api.EnvVar => ({
  name,
  valueFrom: { secretKeyRef: { name: place.name, key: place.key } },
});

const secretFolder = { name: "redis-password", path: "/run/redis-password" } as const;
const passwordFile = `${secretFolder.path}/redis.conf`;

/** Redis takes a password from its file of settings or from its arguments, and arguments can be read by everybody on the node. */
function withPassword(
  { image, resources }: api.Container,
  password: PasswordPlace,
): Pick<api.PodSpec, "initContainers" | "volumes"> {
  const line = `s/[\\\\"]/\\\\&/g; s/^/requirepass "/; s/$/"/`;
  const script = `umask 077; printf %s "$REDIS_PASSWORD" | sed '${line}' > ${passwordFile}`;
  return {
    initContainers: [
      {
        name: "password",
        image,
        command: ["sh", "-c", script],
        env: [variableFrom("REDIS_PASSWORD", password)],
        ...resourcesBefore(resources ?? {}),
        volumeMounts: [{ name: secretFolder.name, mountPath: secretFolder.path }],
      },
    ],
    volumes: [{ name: secretFolder.name, emptyDir: { medium: "Memory", sizeLimit: "1Mi" } }],
  };
}
