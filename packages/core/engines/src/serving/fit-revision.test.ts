import assert from "node:assert/strict";
import { test } from "node:test";
import { fitRevision } from "./fit-revision.ts";

const container = { name: "server", image: "registry.example/server:1" };

test("fields that a revision has no place for are left out and named, each once", () => {
  const { spec, lost } = fitRevision({
    terminationGracePeriodSeconds: 60,
    nodeSelector: { pool: "gpu" },
    containers: [
      { ...container, tty: true },
      { ...container, name: "second", tty: true, stdin: true },
    ],
  });
  assert.deepEqual(spec, { nodeSelector: { pool: "gpu" }, containers: [container, { ...container, name: "second" }] });
  assert.deepEqual(lost, ["terminationGracePeriodSeconds", "containers.tty", "containers.stdin"]);
});

test("volumes that nobody mounts are left out", () => {
  const mounted = { ...container, volumeMounts: [{ name: "model", mountPath: "/model" }] };
  const volumes = [{ name: "model" }, { name: "shm", emptyDir: {} }, { name: "tools", emptyDir: {} }];
  const initContainers = [{ ...container, volumeMounts: [{ name: "tools", mountPath: "/tools" }] }];
  const { spec } = fitRevision({ containers: [mounted], initContainers, volumes });
  assert.deepEqual(spec.volumes, [{ name: "model" }, { name: "tools", emptyDir: {} }]);
});

test("a revision has one port, and its name is a protocol", () => {
  const portsOf = (ports: { name?: string; containerPort: number }[]) =>
    fitRevision({ containers: [{ ...container, ports }] }).spec.containers[0]?.ports;
  assert.deepEqual(portsOf([{ name: "web", containerPort: 80 }, { containerPort: 90 }]), [
    { name: "http1", containerPort: 80 },
  ]);
  assert.deepEqual(portsOf([{ name: "h2c", containerPort: 80 }]), [{ name: "h2c", containerPort: 80 }]);
});
