import assert from "node:assert/strict";
import { test } from "node:test";
import type { api, ConfigMap, Pod, Secret, Service } from "@trivium/kube";
import { environmentOf, type Variable } from "./container-environment.ts";
import { expandVariables } from "./expand-variables.ts";
import { readPodField } from "./pod-field.ts";
import { readResourceField } from "./resource-field.ts";
import { environmentOfServices } from "./service-environment.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const place = { address: "127.77.0.9", hostAddress: "127.0.0.1", nodeName: "laptop" };

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web-0",
    namespace: "shop",
    uid: "u-1",
    labels: { app: "web", "example.com/tier": 'a "b"' },
    annotations: { note: "hi" },
  },
  spec: { containers: [{ name: "main" }], serviceAccountName: "robot" },
};

const secrets: Record<string, Secret> = {
  token: {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "token" },
    data: { key: base64("s3cret"), "a b": base64("x") },
  },
};
const configMaps: Record<string, ConfigMap> = {
  conf: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "conf" }, data: { COLOR: "red", SIZE: "9" } },
};

async function build(
  container: Partial<api.Container>,
  services = new Map<string, string>(),
): Promise<Map<string, Variable>> {
  return environmentOf({
    pod,
    container: { name: "main", ...container },
    place,
    allocatable: { cpu: "4", memory: "8Gi" },
    services,
    references: {
      secret: async (namespace, name) => (namespace === "shop" ? secrets[name] : undefined),
      configMap: async (namespace, name) => (namespace === "shop" ? configMaps[name] : undefined),
    },
  });
}

const plain = (variables: Map<string, Variable>) =>
  Object.fromEntries([...variables].map(([name, { value }]) => [name, value]));

test("variables expand by the rules of Kubernetes", () => {
  const known = new Map([
    ["A", "1"],
    ["B", "$(A)"],
    ["", "empty"],
  ]);
  for (const [written, read] of [
    ["$(A)", "1"],
    ["x$(A)y$(A)", "x1y1"],
    ["$(B)", "$(A)"],
    ["$$(A)", "$(A)"],
    ["$$$(A)", "$1"],
    ["$(MISSING)", "$(MISSING)"],
    ["$(A", "$(A"],
    [`$A \${A} $`, `$A \${A} $`],
    ["$$", "$"],
  ] as const) {
    assert.equal(
      expandVariables(written, (name) => known.get(name)),
      read,
      written,
    );
  }
});

test("all sources of variables, in order, each seeing what came before", async () => {
  const variables = await build(
    {
      envFrom: [{ prefix: "C_", configMapRef: { name: "conf" } }, { secretRef: { name: "token" } }],
      env: [
        { name: "FIRST", value: "$(C_COLOR)-$(LATER)-$(REDIS_SERVICE_HOST)" },
        { name: "LATER", value: "x" },
        { name: "C_SIZE", value: "10" },
        { name: "KEY", valueFrom: { secretKeyRef: { name: "token", key: "key" } } },
        { name: "URL", value: "redis://:$(KEY)@host" },
        { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
        { name: "CPUS", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
        { name: "NONE", valueFrom: { configMapKeyRef: { name: "gone", key: "x", optional: true } } },
        { name: "NO_KEY", valueFrom: { secretKeyRef: { name: "token", key: "gone", optional: true } } },
        { name: "EMPTY" },
      ],
    },
    new Map([
      ["REDIS_SERVICE_HOST", "10.96.0.7"],
      ["FIRST", "not this"],
    ]),
  );
  assert.deepEqual(plain(variables), {
    C_COLOR: "red",
    C_SIZE: "10",
    key: "s3cret",
    "a b": "x",
    FIRST: "red-$(LATER)-10.96.0.7",
    LATER: "x",
    KEY: "s3cret",
    URL: "redis://:s3cret@host",
    POD: "web-0",
    IP: "127.77.0.9",
    CPUS: "4",
    EMPTY: "",
    REDIS_SERVICE_HOST: "10.96.0.7",
  });
  const secretNames = [...variables].filter(([, { isSecret }]) => isSecret).map(([name]) => name);
  assert.deepEqual(secretNames, ["key", "a b", "KEY", "URL"], "what holds a secret is one");
});

test("what is missing is said in a kubelet's words, without values", async () => {
  const cases: readonly [api.EnvVar | api.EnvFromSource, string][] = [
    [{ name: "X", valueFrom: { secretKeyRef: { name: "gone", key: "k" } } }, 'secret "gone" not found'],
    [
      { name: "X", valueFrom: { secretKeyRef: { name: "token", key: "k" } } },
      "couldn't find key k in Secret shop/token",
    ],
    [{ name: "X", valueFrom: { configMapKeyRef: { name: "gone", key: "k" } } }, 'configmap "gone" not found'],
    [
      { name: "X", valueFrom: { configMapKeyRef: { name: "conf", key: "k" } } },
      "couldn't find key k in ConfigMap shop/conf",
    ],
    [{ name: "X", valueFrom: { fieldRef: { fieldPath: "status.phase" } } }, "unsupported fieldPath: status.phase"],
    [{ secretRef: { name: "gone" } }, 'secret "gone" not found'],
    [{ configMapRef: { name: "gone" } }, 'configmap "gone" not found'],
  ];
  for (const [source, message] of cases) {
    const container = "name" in source ? { env: [source as api.EnvVar] } : { envFrom: [source as api.EnvFromSource] };
    await assert.rejects(build(container), { name: "ConfigFault", message });
  }
});

test("fields of the pod", () => {
  const read = (path: string) => readPodField(pod, path, place);
  assert.deepEqual(
    [
      "metadata.namespace",
      "metadata.uid",
      "metadata.labels['app']",
      "metadata.labels['none']",
      "metadata.annotations['note']",
    ].map(read),
    ["shop", "u-1", "web", "", "hi"],
  );
  assert.deepEqual(["spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.podIPs"].map(read), [
    "laptop",
    "robot",
    "127.0.0.1",
    "127.77.0.9",
  ]);
  assert.equal(read("metadata.labels"), 'app="web"\nexample.com/tier="a \\"b\\""');
  assert.equal(read("spec.containers"), undefined);
  assert.equal(read("constructor"), undefined);
});

test("amounts of resources, divided and rounded up", () => {
  const container: api.Container = {
    name: "main",
    resources: { limits: { cpu: "1500m", memory: "100M" }, requests: { cpu: "100m" } },
  };
  const read = (resource: string, divisor?: string) =>
    readResourceField(container, divisor === undefined ? { resource } : { resource, divisor }, {
      cpu: "4",
      memory: "8Gi",
      "ephemeral-storage": "1Gi",
    });
  assert.deepEqual(
    [read("limits.cpu"), read("limits.cpu", "1m"), read("limits.memory"), read("limits.memory", "1Mi")],
    ["2", "1500", "100000000", "96"],
  );
  assert.deepEqual(
    [read("requests.cpu", "1m"), read("requests.memory"), read("limits.ephemeral-storage", "1Mi"), read("limits.gpu")],
    ["100", "0", "1024", undefined],
  );
  assert.equal(read("limits.cpu", "0"), "2", "a divisor of nothing is one");
});

test("Services as variables", () => {
  const service = (name: string, spec: Service["spec"]): Service => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "shop" },
    spec,
  });
  const variables = environmentOfServices([
    service("my-redis", {
      clusterIP: "10.96.0.7",
      ports: [
        { name: "db", port: 6379 },
        { name: "dns", port: 53, protocol: "UDP" },
      ],
    }),
    service("headless", { clusterIP: "None", ports: [{ port: 1 }] }),
    service("outside", { externalName: "x" }),
  ]);
  assert.deepEqual(Object.fromEntries(variables), {
    MY_REDIS_SERVICE_HOST: "10.96.0.7",
    MY_REDIS_SERVICE_PORT: "6379",
    MY_REDIS_SERVICE_PORT_DB: "6379",
    MY_REDIS_SERVICE_PORT_DNS: "53",
    MY_REDIS_PORT: "tcp://10.96.0.7:6379",
    MY_REDIS_PORT_6379_TCP: "tcp://10.96.0.7:6379",
    MY_REDIS_PORT_6379_TCP_PROTO: "tcp",
    MY_REDIS_PORT_6379_TCP_PORT: "6379",
    MY_REDIS_PORT_6379_TCP_ADDR: "10.96.0.7",
    MY_REDIS_PORT_53_UDP: "udp://10.96.0.7:53",
    MY_REDIS_PORT_53_UDP_PROTO: "udp",
    MY_REDIS_PORT_53_UDP_PORT: "53",
    MY_REDIS_PORT_53_UDP_ADDR: "10.96.0.7",
  });
});
