import assert from "node:assert/strict";
import { test } from "node:test";
import type { api } from "../index.ts";
import { checkPodSecurity, formatPodSecurity } from "./evaluate.ts";
import { podSecurityLevelOf, stricterLevel, unknownPodSecurityLevels } from "./level.ts";
import { podSpecsIn } from "./pod-specs.ts";

const pod = (container: Partial<api.Container> = {}, more: Partial<api.PodSpec> = {}): api.PodSpec => ({
  containers: [{ name: "a", image: "x", ...container }],
  ...more,
});

const hardened: Partial<api.Container> = {
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    runAsNonRoot: true,
    seccompProfile: { type: "RuntimeDefault" },
  },
};

const breaks = (spec: api.PodSpec, level: "baseline" | "restricted") =>
  checkPodSecurity(spec, level).map(({ rule }) => rule);

const baselineRows: readonly (readonly [string, api.PodSpec, string])[] = [
  ["privileged", pod({ securityContext: { privileged: true } }), "containers[0].securityContext.privileged"],
  ["host namespaces", pod({}, { hostNetwork: true }), "hostNetwork"],
  ["hostPath volumes", pod({}, { volumes: [{ name: "v", hostPath: { path: "/" } }] }), "volumes[0].hostPath"],
  ["hostPort", pod({ ports: [{ containerPort: 1, hostPort: 1 }] }), "containers[0].ports"],
  [
    "non-default capabilities",
    pod({ securityContext: { capabilities: { add: ["SYS_ADMIN"] } } }),
    "containers[0].securityContext.capabilities.add",
  ],
  ["procMount", pod({ securityContext: { procMount: "Unmasked" } }), "containers[0].securityContext.procMount"],
  [
    "seccompProfile",
    pod({}, { securityContext: { seccompProfile: { type: "Unconfined" } } }),
    "securityContext.seccompProfile",
  ],
  [
    "forbidden sysctls",
    pod({}, { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } }),
    "securityContext.sysctls",
  ],
  [
    "seLinuxOptions",
    pod({ securityContext: { seLinuxOptions: { type: "spc_t" } } }),
    "containers[0].securityContext.seLinuxOptions",
  ],
];

for (const [rule, spec, field] of baselineRows)
  test(`baseline forbids ${rule} and names the field`, () => {
    const found = checkPodSecurity(spec, "baseline");
    assert.deepEqual(
      found.map((one) => [one.rule, ...one.fields]),
      [[rule, field]],
    );
    assert.deepEqual(checkPodSecurity(spec, "privileged"), []);
  });

test("restricted asks for a hardened pod, and a plain one passes baseline", () => {
  assert.deepEqual(breaks(pod(), "baseline"), []);
  assert.deepEqual(breaks(pod(), "restricted"), [
    "allowPrivilegeEscalation != false",
    "unrestricted capabilities",
    "runAsNonRoot != true",
    "seccompProfile",
  ]);
  assert.deepEqual(breaks(pod(hardened), "restricted"), []);
  assert.deepEqual(breaks(pod(hardened, { volumes: [{ name: "n", nfs: { server: "s", path: "/" } }] }), "restricted"), [
    "restricted volume types",
  ]);
  assert.deepEqual(breaks({ ...pod(hardened), initContainers: [{ name: "i", image: "x" }] }, "restricted").length, 4);
});

test("a violation reads as Kubernetes writes it", () => {
  const spec = pod({ securityContext: { privileged: true } });
  assert.equal(
    formatPodSecurity("baseline", checkPodSecurity(spec, "baseline")),
    'PodSecurity "baseline:latest": privileged (container "a" must not set securityContext.privileged=true)',
  );
});

test("labels choose the level; a misspelled level forbids", () => {
  const labels = { "pod-security.kubernetes.io/enforce": "baseline", "pod-security.kubernetes.io/warn": "strict" };
  assert.equal(podSecurityLevelOf(undefined, "enforce"), "privileged");
  assert.equal(podSecurityLevelOf(labels, "enforce"), "baseline");
  assert.equal(podSecurityLevelOf(labels, "warn"), "restricted");
  assert.deepEqual(unknownPodSecurityLevels(labels), [["pod-security.kubernetes.io/warn", "strict"]]);
  assert.equal(stricterLevel("baseline", "privileged"), "baseline");
});

test("templates are found in every kind that runs pods", () => {
  const at = (object: object) => podSpecsIn(object as never).map((one) => one.at);
  assert.deepEqual(at({ kind: "Deployment", spec: { template: { spec: pod() } } }), ["spec.template.spec"]);
  assert.deepEqual(at({ kind: "CronJob", spec: { jobTemplate: { spec: { template: { spec: pod() } } } } }), [
    "spec.jobTemplate.spec.template.spec",
  ]);
  assert.deepEqual(at({ kind: "InferenceService", spec: { predictor: { model: { image: "x" } } } }), [
    "spec.predictor",
  ]);
  assert.deepEqual(at({ kind: "ConfigMap", data: {} }), []);
});
