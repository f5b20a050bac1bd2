import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { api, Pod } from "@trivium/kube";
import { ConfigFault } from "./config-fault.ts";
import { describeUnenforced, refuseRoot, refuseRootImage } from "./security-context.ts";

const root = { uid: 0, gid: 0 };
const person = { uid: 1000, gid: 1000 };

function podWith(own: api.SecurityContext = {}, ofPod: api.PodSecurityContext = {}): [Pod, api.Container] {
  const container: api.Container = { name: "main", image: "busybox", securityContext: own };
  const metadata = { name: "web", namespace: "default", uid: "u1" };
  return [
    { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [container], securityContext: ofPod } },
    container,
  ];
}

describe("runAsNonRoot", () => {
  it("is refused where the process would run as root, and the container and the remedy are named", () => {
    for (const pod of [podWith({ runAsNonRoot: true }), podWith({}, { runAsNonRoot: true })]) {
      assert.throws(
        () => refuseRoot(...pod, root),
        new ConfigFault(
          'container has runAsNonRoot and would run as root, like trivium up (pod: "web_default(u1)", container: main); start trivium up as another user or with --containers podman, or set runAsNonRoot to false',
        ),
      );
    }
  });

  it("is refused together with runAsUser 0, whoever runs the node", () => {
    for (const user of [root, person]) {
      assert.throws(
        () => refuseRoot(...podWith({ runAsNonRoot: true }, { runAsUser: 0 }), user),
        /^ConfigFault: container's runAsUser breaks non-root policy \(pod: "web_default\(u1\)", container: main\); /,
      );
    }
  });

  it("is honoured for a normal user, and where it is not asked for", () => {
    refuseRoot(...podWith({ runAsNonRoot: true }), person);
    refuseRoot(...podWith({ runAsNonRoot: true, runAsUser: 1000 }), person);
    refuseRoot(...podWith({ runAsNonRoot: false }, { runAsNonRoot: true }), root);
    refuseRoot(...podWith(), root);
  });
});

describe("runAsNonRoot in a container of an engine", () => {
  const check = (user: string, own: api.SecurityContext = {}) =>
    refuseRootImage(...podWith({ runAsNonRoot: true, ...own }), async () => `${user}\n`);

  it("is held against the image's user", async () => {
    for (const user of ["", "0", "root", "0:0", "root:root"]) {
      await assert.rejects(
        check(user),
        /container has runAsNonRoot and image will run as root \(pod: .*container: main\)/,
      );
    }
    await assert.rejects(check("www"), /image has non-numeric user \(www\), cannot verify user is non-root/);
    await check("1000");
    await check("1000:0");
    await check("root", { runAsUser: 7 });
    await assert.rejects(check("1000", { runAsUser: 0 }), /runAsUser breaks non-root policy/);
  });
});

describe("what a process does not get", () => {
  it("is listed once, in one sentence", () => {
    const own: api.SecurityContext = {
      runAsUser: 65532,
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    };
    assert.equal(
      describeUnenforced(...podWith(own, { fsGroup: 2000, seccompProfile: { type: "RuntimeDefault" } }), root),
      "Container main runs as a local process of user 0. Not enforced: runAsUser 65532, fsGroup 2000, readOnlyRootFilesystem, capabilities, allowPrivilegeEscalation false, seccompProfile; start trivium up with --containers podman to enforce it",
    );
  });

  it("is nothing where it already is as asked", () => {
    const own: api.SecurityContext = { runAsUser: 1000, runAsGroup: 1000, privileged: false, capabilities: {} };
    assert.equal(describeUnenforced(...podWith(own, { fsGroup: 1000 }), person), undefined);
    assert.equal(describeUnenforced(...podWith(), root), undefined);
  });
});
