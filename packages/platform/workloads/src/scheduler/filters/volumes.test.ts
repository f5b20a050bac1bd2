import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@trivium/kube";
import { node, placed, pod, snapshot } from "../snapshot/snapshot.fixture.ts";

const claim = (name: string, more: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "default", uid: `claim-${name}` },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "disk", resources: { requests: { storage: "1Gi" } } },
  ...more,
});
const volume = (
  name: string,
  on: string,
  more: Partial<NonNullable<PersistentVolume["spec"]>> = {},
): PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "disk",
    capacity: { storage: "2Gi" },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [on] }] }],
      },
    },
    ...more,
  },
  status: { phase: "Available" },
});
const storage = (mode: "Immediate" | "WaitForFirstConsumer", provisioner = "trivium.dev/directory"): StorageClass => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "disk" },
  provisioner,
  volumeBindingMode: mode,
});
const user = (name: string, ...claims: string[]) =>
  pod(name, {
    spec: { volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
  });
const nodes = [node("a"), node("b")];
const bound = (name: string) =>
  claim(name, { spec: { ...claim(name).spec, volumeName: `pv-${name}` }, status: { phase: "Bound" } });

test("a pod goes where its bound volume is, and nowhere when that is gone", () => {
  const observed = snapshot(nodes, [user("p", "w")], { claims: [bound("w")], volumes: [volume("pv-w", "b")] });
  assert.deepEqual(placed(observed), ["p → b"]);
  assert.match(
    placed({ ...observed, volumes: [volume("pv-w", "c")] })[0] ?? "",
    /: 2 node\(s\) didn't match PersistentVolume's node affinity\./,
  );
  assert.match(
    placed({ ...observed, volumes: [] })[0] ?? "",
    /: 2 node\(s\) unavailable due to one or more pvc\(s\) bound to non-existent pv\(s\)\./,
  );
});

test("a claim that binds by itself is waited for; one that waits for its consumer gets the place", () => {
  const immediate = snapshot(nodes, [user("p", "w")], { claims: [claim("w")], storageClasses: [storage("Immediate")] });
  assert.match(placed(immediate)[0] ?? "", /available: pod has unbound immediate PersistentVolumeClaims\. /);
  const later = { ...immediate, storageClasses: [storage("WaitForFirstConsumer")] };
  assert.deepEqual(placed(later), ["p ⇢ a (w: new)"]);
});

test("volumes that are there are taken, the smallest that is large enough, each once", () => {
  const classes = { storageClasses: [storage("WaitForFirstConsumer", "kubernetes.io/no-provisioner")] };
  const volumes = [
    volume("large", "b", { capacity: { storage: "9Gi" } }),
    volume("small", "b"),
    volume("tiny", "b", { capacity: { storage: "1Mi" } }),
  ];
  const pods = [user("p", "w"), user("q", "v"), user("r", "u")];
  const [first, second, third] = placed(
    snapshot(nodes, pods, { claims: ["w", "v", "u"].map((name) => claim(name)), volumes, ...classes }),
  );
  assert.deepEqual([first, second], ["p ⇢ b (w: small)", "q ⇢ b (v: large)"]);
  assert.match(
    third ?? "",
    /^r: 0\/2 nodes are available: 2 node\(s\) didn't find available persistent volumes to bind\./,
  );
});

test("a place with claims on the way is kept against the more important", () => {
  const metadata = { ...claim("w").metadata, annotations: { "volume.kubernetes.io/selected-node": "a" } };
  const waiting = user("p", "w");
  const small = [node("a", { allocatable: { pods: "1" } })];
  const rival = pod("rival", { spec: { priority: 9 } });
  const observed = snapshot(small, [rival, waiting], {
    claims: [claim("w", { metadata })],
    storageClasses: [storage("WaitForFirstConsumer")],
  });
  assert.equal(placed(observed)[0], "p ⇢ a (w: new)");
});

test("a claim for one pod only", () => {
  const single = bound("w");
  const claims = [{ ...single, spec: { ...single.spec, accessModes: ["ReadWriteOncePod" as const] } }];
  const there = { ...user("q", "w"), spec: { ...user("q", "w").spec, containers: [], nodeName: "b" } };
  const observed = snapshot(nodes, [there, user("p", "w")], { claims, volumes: [volume("pv-w", "b")] });
  assert.match(placed(observed)[0] ?? "", /ReadWriteOncePod access mode already in-use by another pod/);
});
