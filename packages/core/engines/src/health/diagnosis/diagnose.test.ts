import assert from "node:assert/strict";
import { test } from "node:test";
import type { Failure, FieldPaths } from "@trivium/domain";
import { diagnose } from "./diagnose.ts";
import { formatDiagnosis } from "./format-diagnosis.ts";

const paths: FieldPaths = {
  image: "spec.image",
  pullSecrets: "spec.imagePullSecrets",
  resources: "spec.resources",
  memory: "spec.resources.memory",
  environment: "spec.env",
  arguments: "spec.args",
  port: "spec.port",
  probes: "spec.probes",
  scheduling: "spec.nodeSelector",
  volumes: "spec.volumes",
  storage: "spec.storage",
};

const place = { pod: "chat-0", container: "server", role: "serves" } as const;
const crash = { kind: "crash", ...place, message: "", exitCode: 1 } as const;
const taint = "0/2 nodes are available: 2 node(s) had untolerated taint(s). preemption: none";

const rows: readonly (readonly [string, Failure, string])[] = [
  [
    "a first exit",
    { ...crash, restarts: 1, isPassing: true },
    "Container server of Pod chat-0 exited with code 1; restarting (1 restart); check its log with kubectl logs chat-0 -c server --previous, then correct its arguments in spec.args, or its environment in spec.env",
  ],
  [
    "a crash loop with a log",
    { ...crash, restarts: 4, lastLogLine: "mmap: Invalid argument." },
    "Container server of Pod chat-0 keeps crashing (exit code 1). Last log line: mmap: Invalid argument; check its log with kubectl logs chat-0 -c server --previous, then correct its arguments in spec.args, or its environment in spec.env",
  ],
  [
    "an argument that the engine does not know",
    { ...crash, restarts: 4, lastLogLine: "no such option: --foo." },
    "Container server of Pod chat-0 keeps crashing (exit code 1). Last log line: no such option: --foo; correct its arguments in spec.args",
  ],
  [
    "out of memory with a limit",
    { kind: "memory", ...place, message: "", exitCode: 137, restarts: 3, memoryLimit: "4Gi" },
    "Container server of Pod chat-0 was killed repeatedly for using more memory than its limit of 4Gi (OOMKilled); raise spec.resources.memory",
  ],
  [
    "out of memory without a limit",
    { kind: "memory", ...place, message: "", exitCode: 137 },
    "Container server of Pod chat-0 was killed because the node ran out of memory (OOMKilled); it has no memory limit; set spec.resources.memory",
  ],
  [
    "out of memory with a request and no limit",
    { kind: "memory", ...place, message: "", exitCode: 137, memoryRequest: "1Gi" },
    "Container server of Pod chat-0 was killed because the node ran out of memory (OOMKilled); it has no memory limit; raise spec.resources.memory",
  ],
  [
    "an image of another's registry",
    { kind: "image", ...place, image: "denied", message: "no basic auth credentials" },
    "Image of container server of Pod chat-0 is not available: no basic auth credentials; add a Secret with access to the registry to spec.imagePullSecrets",
  ],
  [
    "an image that is not there",
    { kind: "image", ...place, image: "missing", message: "repository name unknown" },
    "Image of container server of Pod chat-0 is not available: repository name unknown; correct spec.image",
  ],
  [
    "a registry that cannot be reached",
    { kind: "image", ...place, image: "unreachable", message: "tls: authentication handshake failed" },
    "Image of container server of Pod chat-0 is not available: tls: authentication handshake failed; check that the node can reach the registry; retrying automatically",
  ],
  [
    "an image that is pulled again later, without a cause",
    { kind: "image", ...place, image: "unknown", message: "Back-off pulling image" },
    "Image of container server of Pod chat-0 is not available: Back-off pulling image; check the events of the pod with kubectl describe pod chat-0; retrying automatically",
  ],
  [
    "an image that a node without containers cannot run",
    { kind: "image", ...place, image: "local", message: "no rule maps it to a local program" },
    "Image of container server of Pod chat-0 is not available: no rule maps it to a local program; correct spec.image, add a rule for it under images in trivium.yaml, or start trivium up with --containers podman or docker",
  ],
  [
    "a Secret that does not exist",
    { kind: "configuration", ...place, message: 'secret "hf" not found' },
    "Container server of Pod chat-0 cannot start: Secret hf not found; create it, or correct spec.env",
  ],
  [
    "a Secret without the key",
    { kind: "configuration", ...place, message: "couldn't find key token in Secret default/hf" },
    "Container server of Pod chat-0 cannot start: Secret hf has no key token; add key token to Secret hf, or correct spec.env",
  ],
  [
    "a program that is not in the image",
    { kind: "configuration", ...place, message: 'exec: "vllm": executable file not found in $PATH' },
    'Container server of Pod chat-0 cannot start: exec: "vllm": executable file not found in $PATH; correct the command in spec.args, or spec.image',
  ],
  [
    "a ConfigMap among the volumes",
    { kind: "volume", pod: "chat-0", message: 'MountVolume.SetUp failed for volume "c" : configmap "c" not found' },
    "Pod chat-0 cannot start: ConfigMap c of its volumes not found; create it, or correct spec.volumes",
  ],
  [
    "a StorageClass that does not exist",
    {
      kind: "volume",
      pod: "chat-0",
      message: "unbound",
      claims: [{ name: "cache", storageClass: "fast", fault: "no class" }],
    },
    "PersistentVolumeClaim cache has no volume: StorageClass fast not found; create the StorageClass, or set another one in spec.storage",
  ],
  [
    "no default StorageClass",
    { kind: "volume", pod: "chat-0", message: "unbound", claims: [{ name: "cache", fault: "no default class" }] },
    "PersistentVolumeClaim cache has no volume: no StorageClass is set, and the cluster has no default StorageClass; set one in spec.storage, or mark a StorageClass as default",
  ],
  [
    "a claim that does not exist",
    { kind: "volume", pod: "chat-0", message: "x", claims: [{ name: "weights", fault: "no claim" }] },
    "PersistentVolumeClaim weights not found; create it, or correct spec.volumes",
  ],
  [
    "a wrong probe path",
    {
      kind: "unhealthy",
      ...place,
      message: "",
      probe: { probe: "Readiness", is: "answer", code: 404, message: "", at: "/wrong on port 8080" },
    },
    "Readiness probe of container server of Pod chat-0 received status 404 at /wrong on port 8080; correct the path and port of spec.probes, or check the server",
  ],
  [
    "a wrong port",
    {
      kind: "unhealthy",
      ...place,
      message: "",
      isPassing: true,
      probe: { probe: "Startup", is: "closed", message: "", at: "/health on port 9" },
    },
    "Startup probe of container server of Pod chat-0 cannot connect to /health on port 9; wait until the server has started, or correct the port in spec.port if the server listens on another port",
  ],
  [
    "a wrong port, ten minutes later",
    {
      kind: "unhealthy",
      ...place,
      message: "",
      isOverdue: true,
      probe: { probe: "Startup", is: "closed", message: "", at: "port 9", declared: [8000, 8080] },
    },
    "Startup probe of container server of Pod chat-0 cannot connect to port 9 for more than 10m (the container declares port 8000, 8080); correct the port in spec.port if the server listens on another port, or wait if its log shows that it is still loading the model (kubectl logs chat-0 -c server)",
  ],
  [
    "a liveness probe that kills",
    { kind: "unhealthy", ...place, message: "", probe: { probe: "Liveness", is: "slow", message: "" } },
    "Liveness probe of container server of Pod chat-0 timed out, so the container is restarted repeatedly; raise the timeout of spec.probes, or give the container more CPU in spec.resources",
  ],
  [
    "an eviction",
    { kind: "evicted", pod: "chat-0", message: "Evicted: The node was low on resource: ephemeral-storage. " },
    "Pod chat-0 was evicted: The node was low on resource: ephemeral-storage; free the resource on the node, or request enough of it in spec.resources",
  ],
  [
    "a quota",
    {
      kind: "refused",
      pod: "",
      message: 'pods "x" is forbidden: exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2',
    },
    "Pods cannot be created: ResourceQuota team is exceeded (requested: pods=1, used: pods=2, limited: pods=2); raise ResourceQuota team, or delete objects that count against it",
  ],
  [
    "nodes without disk space",
    {
      kind: "unschedulable",
      pod: "chat-0",
      message: taint,
      nodes: [
        { node: "a", is: "disk-pressure" },
        { node: "b", is: "unreachable" },
      ],
    },
    "Pod chat-0 cannot be scheduled: no node is available: node a is low on disk space, node b is unreachable (0/2 nodes are available: 2 node(s) had untolerated taint(s)); free disk space on node a; check the machine and the network of node b, or add a node",
  ],
  [
    "a taint that somebody put there",
    { kind: "unschedulable", pod: "chat-0", message: taint },
    "Pod chat-0 cannot be scheduled: no node is suitable: 2 of 2 nodes have a taint that the pod does not tolerate (0/2 nodes are available: 2 node(s) had untolerated taint(s)); add the toleration, or remove the taint with kubectl taint (spec.nodeSelector)",
  ],
];

for (const [about, failure, expected] of rows)
  test(`${about}: cause, object and remedy`, () => {
    assert.equal(formatDiagnosis(diagnose(failure, { paths })), expected);
  });

test("every remedy stands without a dialect's field paths too", () => {
  for (const [about, failure] of rows) {
    const { cause, remedy, subject } = diagnose(failure, { paths: {} });
    assert.ok(remedy !== "" && !remedy.includes("undefined"), about);
    assert.ok(!cause.includes("undefined") && subject !== "", about);
  }
});
