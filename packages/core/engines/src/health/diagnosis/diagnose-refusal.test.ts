import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldPaths } from "@trivium/domain";
import type { Refusal } from "@trivium/reconcile";
import { diagnoseRefusal } from "./diagnose-refusal.ts";
import { formatDiagnosis } from "./format-diagnosis.ts";

const paths: FieldPaths = {
  resources: "spec.resources",
  labels: "spec.podLabels",
  volumes: "spec.extraVolumes",
  probes: "spec.probeOverrides",
  security: "spec.securityContext",
};

const refusal = (message: string, more: Partial<Refusal> = {}): Refusal => ({
  child: { kind: "Deployment", name: "chat", namespace: "default" },
  reason: "Forbidden",
  code: 403,
  message,
  causes: [],
  ...more,
});

const invalid = (field: string, message: string): Refusal =>
  refusal(`Deployment.apps "chat" is invalid: ${field}: ${message}`, {
    reason: "Invalid",
    code: 422,
    causes: [{ field, message }],
  });

const rows: readonly (readonly [string, Refusal, string])[] = [
  [
    "a quota of what pods request",
    refusal(
      'pods "chat" is forbidden: exceeded quota: team, requested: limits.memory=4Gi,requests.cpu=2, used: limits.memory=6Gi,requests.cpu=3, limited: limits.memory=8Gi,requests.cpu=4',
    ),
    "Deployment chat cannot be created or updated: ResourceQuota team is exceeded (requested: limits.memory=4Gi,requests.cpu=2, used: limits.memory=6Gi,requests.cpu=3, limited: limits.memory=8Gi,requests.cpu=4); raise ResourceQuota team, delete objects that count against it, or lower spec.resources",
  ],
  [
    "a quota of storage, of one class too",
    refusal(
      'persistentvolumeclaims "w" is forbidden: exceeded quota: team, requested: fast.storageclass.storage.k8s.io/requests.storage=5Gi,persistentvolumeclaims=1, used: fast.storageclass.storage.k8s.io/requests.storage=6Gi,persistentvolumeclaims=1, limited: fast.storageclass.storage.k8s.io/requests.storage=8Gi,persistentvolumeclaims=1',
      { child: { kind: "PersistentVolumeClaim", name: "w", namespace: "default" } },
    ),
    "PersistentVolumeClaim w cannot be created or updated: ResourceQuota team is exceeded (requested: fast.storageclass.storage.k8s.io/requests.storage=5Gi,persistentvolumeclaims=1, used: fast.storageclass.storage.k8s.io/requests.storage=6Gi,persistentvolumeclaims=1, limited: fast.storageclass.storage.k8s.io/requests.storage=8Gi,persistentvolumeclaims=1); raise ResourceQuota team, delete objects that count against it, or request less storage",
  ],
  [
    "a quota that does not say of what",
    refusal('pods "chat" is forbidden: exceeded quota: team'),
    "Deployment chat cannot be created or updated: ResourceQuota team is exceeded; raise ResourceQuota team, delete objects that count against it, or lower spec.resources",
  ],
  [
    "a GPU limit below its request",
    invalid(
      "spec.template.spec.containers[0].resources.requests",
      "Invalid value: 2: must be less than or equal to nvidia.com/gpu limit",
    ),
    "The API server rejects Deployment chat: spec.template.spec.containers[0].resources.requests: Invalid value: 2: must be less than or equal to nvidia.com/gpu limit; correct spec.resources",
  ],
  [
    "a bad label",
    invalid("spec.template.labels", 'Invalid value: "a b": a valid label must be an empty string or consist of …'),
    'The API server rejects Deployment chat: spec.template.labels: Invalid value: "a b": a valid label must be an empty string or consist of …; correct spec.podLabels',
  ],
  [
    "a mount without a volume",
    invalid("spec.template.spec.containers[0].volumeMounts[1].name", 'Not found: "models"'),
    'The API server rejects Deployment chat: spec.template.spec.containers[0].volumeMounts[1].name: Not found: "models"; correct spec.extraVolumes',
  ],
  [
    "a probe",
    invalid("spec.template.spec.containers[0].livenessProbe.successThreshold", "must be 1"),
    "The API server rejects Deployment chat: spec.template.spec.containers[0].livenessProbe.successThreshold: must be 1; correct spec.probeOverrides",
  ],
  [
    "a field that no path is known for",
    invalid("spec.strategy", "may not be specified"),
    "The API server rejects Deployment chat: spec.strategy: may not be specified; correct the part of the spec that sets this field",
  ],
  [
    "a quota",
    refusal(
      'deployments.apps "chat" is forbidden: exceeded quota: team, requested: count/deployments.apps=1, used: count/deployments.apps=2, limited: count/deployments.apps=2',
    ),
    "Deployment chat cannot be created or updated: ResourceQuota team is exceeded (requested: count/deployments.apps=1, used: count/deployments.apps=2, limited: count/deployments.apps=2); raise ResourceQuota team, or delete objects that count against it",
  ],
  [
    "a quota that demands limits",
    refusal('pods "chat-0" is forbidden: failed quota: team: must specify limits.cpu for: server'),
    "Deployment chat cannot be created or updated: ResourceQuota team requires limits.cpu for: server; add a LimitRange with defaults to the namespace, or set them for the serving container in spec.resources",
  ],
  [
    "a webhook",
    refusal('admission webhook "policy.example.com" denied the request: team label is missing', {
      reason: "",
      code: 400,
    }),
    "Deployment chat cannot be created or updated: Admission webhook policy.example.com denied the request: team label is missing; change the rejected part of the spec, or ask the administrator of the webhook for an exception",
  ],
  [
    "a webhook that is down",
    refusal('Internal error occurred: failed calling webhook "v.example.com": connection refused', {
      reason: "InternalError",
      code: 500,
    }),
    "Deployment chat cannot be created or updated: Admission webhook v.example.com does not respond: connection refused; repair or delete the webhook",
  ],
  [
    "a Pod Security level that the namespace enforces",
    refusal(
      'deployments.apps "chat" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes (volume "a")',
      {
        causes: [{ field: "spec.template.spec.volumes[0].hostPath", message: 'hostPath volumes (volume "a")' }],
        podSecurity: { level: "baseline", from: "namespace" },
      },
    ),
    'Deployment chat cannot be created or updated: the namespace enforces Pod Security level baseline: hostPath volumes (volume "a"); change spec.extraVolumes, or label the namespace with a level that allows it',
  ],
  [
    "a Pod Security level that the operator requires",
    refusal('deployments.apps "chat" is forbidden: violates PodSecurity "restricted:latest": …', {
      causes: [
        { field: "spec.template.spec.containers[0].securityContext.runAsNonRoot", message: "must set runAsNonRoot" },
        {
          field: "spec.template.spec.initContainers[0].securityContext.runAsNonRoot",
          message: "must set runAsNonRoot",
        },
      ],
      podSecurity: { level: "restricted", from: "operator" },
    }),
    "Deployment chat cannot be created or updated: the operator requires Pod Security level restricted: must set runAsNonRoot; change spec.securityContext, or start the operator with a --pod-security-level that allows it",
  ],
  [
    "Pod Security",
    refusal(
      'pods "chat-0" is forbidden: violates PodSecurity "restricted:latest": privileged (container "server" must not set securityContext.privileged=true)',
    ),
    'Deployment chat cannot be created or updated: The namespace enforces Pod Security level restricted: privileged (container "server" must not set securityContext.privileged=true); remove it from spec.securityContext, or label the namespace with a level that allows it',
  ],
  [
    "rights of the operator",
    refusal(
      'deployments.apps is forbidden: User "system:serviceaccount:trivium:operator" cannot patch resource "deployments" in API group "apps" in the namespace "default"',
    ),
    "Deployment chat cannot be created or updated: User system:serviceaccount:trivium:operator cannot patch deployments; grant the permission with a Role or ClusterRole to system:serviceaccount:trivium:operator",
  ],
  [
    "a name that another owner has",
    refusal("belongs to Deployment other", {
      reason: "NameTaken",
      code: 409,
      child: { kind: "Service", name: "chat" },
    }),
    "Service chat already exists and belongs to Deployment other; delete or rename that Service, or choose another metadata.name",
  ],
  [
    "an answer without fields",
    refusal("the body is too large", { reason: "RequestEntityTooLarge", code: 413 }),
    "The API server rejects Deployment chat: the body is too large; correct the rejected part of the spec",
  ],
];

for (const [about, given, expected] of rows)
  test(`${about}: cause, object and remedy`, () => {
    assert.equal(formatDiagnosis(diagnoseRefusal(given, paths)), expected);
  });

test("hostile text stays one line of bearable length", () => {
  const { cause } = diagnoseRefusal(refusal(`a\u0000\n\u202eb${"x".repeat(5_000)}`), paths);
  assert.ok(cause.length < 1_000);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
  assert.doesNotMatch(cause, /[\u0000-\u001f\u202e]/);
});
