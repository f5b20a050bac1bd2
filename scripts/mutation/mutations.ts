/** A decision that is broken on purpose: the first place in a package that has a text gets another. */
export interface Mutation {
  readonly what: string;
  /** Under `packages/`. */
  readonly package: string;
  readonly find: string;
  readonly replace: string;
}

const aim = "dialects/aim";
const ome = "dialects/ome";
const llmkube = "dialects/llmkube";
const engines = "core/engines";
const emitters = "core/emitters";

/** Each must fail at least one case. A text that is not found any more needs another row for the same decision. */
export const mutations: readonly Mutation[] = [
  {
    what: "a model whose templates all fail is only degraded",
    package: aim,
    find: 'state: "Failed", reason: "AllTemplatesFailed"',
    replace: 'state: "Degraded", reason: "SomeTemplatesDegraded"',
  },
  {
    what: "a shadowed model says that it is not",
    package: aim,
    find: 'condition("Shadowed", "True"',
    replace: 'condition("Shadowed", "False"',
  },
  {
    what: "the template of a service is named with the kind of the other scope",
    package: aim,
    find: 'template.scope === "Namespace" ? "AIMServiceTemplate"',
    replace: 'template.scope !== "Namespace" ? "AIMServiceTemplate"',
  },
  {
    what: "pods that are being deleted count as replicas",
    package: aim,
    find: "!isLeaving && isReady",
    replace: "isReady",
  },
  {
    what: "the volume of a KV cache is asked for with another access mode",
    package: aim,
    find: '["ReadWriteOnce"] : modes',
    replace: '["ReadWriteMany"] : modes',
  },
  {
    what: "a missing runtime config has another reason",
    package: aim,
    find: 'condition(type, "False", { reason: "RuntimeConfigMissing"',
    replace: 'condition(type, "False", { reason: "RuntimeResolved"',
  },
  {
    what: "no event tells that a download is retried",
    package: aim,
    find: 'is === "backoff" ? [{',
    replace: 'is !== "backoff" ? [{',
  },
  {
    what: "a claim whose volume is lost counts as bound",
    package: aim,
    find: 'condition(type, "False", { reason: "PVCLost"',
    replace: 'condition(type, "True", { reason: "PVCBound"',
  },
  {
    what: "a service is up although its ingress is not",
    package: ome,
    find: 'isReady && ingress.status === "True"',
    replace: "isReady",
  },
  {
    what: "the first condition that is not True is reported before one that is False",
    package: ome,
    find: 'parts.find(({ status }) => status === "False") ?? parts.find',
    replace: "parts.find",
  },
  {
    what: "an autoscaler that cannot be made is not reported",
    package: ome,
    find: 'say("ScalingReady", "False", { reason: "NotScaled"',
    replace: 'say("ScalingReady", "True", { reason: "NotScaled"',
  },
  {
    what: "a router waits for the weights of the model",
    package: ome,
    find: 'isReady || component === "router" || model.status',
    replace: "isReady || model.status",
  },
  {
    what: "a failed component gets no event",
    package: ome,
    find: 'reason: "ComponentFailed", message }',
    replace: 'reason: "InferenceServiceReady", message }',
  },
  {
    what: "a GPU that does nothing goes unnoticed",
    package: llmkube,
    find: 'acceleration?.layersOffloaded !== 0 || phase !== "Ready"',
    replace: 'acceleration?.layersOffloaded === 0 || phase !== "Ready"',
  },
  {
    what: "a model that cannot fit is said to fit",
    package: engines,
    find: 'status: "False", reason: "DoesNotFit"',
    replace: 'status: "True", reason: "DoesNotFit"',
  },
  {
    what: "a failed model is reported as ready",
    package: llmkube,
    find: 'outcome.is === "ready" ? "Ready" : outcome.is === "failed" ? "Failed"',
    replace: 'outcome.is === "ready" ? "Ready" : outcome.is === "failed" ? "Ready"',
  },
  {
    what: "the number of ready replicas is the number of all",
    package: llmkube,
    find: "readyReplicas: health.ready",
    replace: "readyReplicas: health.total",
  },
  {
    what: "pods of an earlier template count as current",
    package: engines,
    find: "pod.template === template",
    replace: "pod.template !== undefined",
  },
  {
    what: "a server that lists no model counts as ready",
    package: engines,
    find: "listed.value.length > 0",
    replace: "listed.value.length >= 0",
  },
  {
    what: "the worst candidate is chosen",
    package: engines,
    find: "left < right ? -1 : 1",
    replace: "left < right ? 1 : -1",
  },
  {
    what: "a claim that is too small is taken",
    package: engines,
    find: "!(bytes > quantityToNumber(space))",
    replace: "!(bytes < quantityToNumber(space))",
  },
  {
    what: "a canary gets requests before its pods are ready",
    package: engines,
    find: "isUp ? percent : 0",
    replace: "percent",
  },
  {
    what: "a Deployment with one GPU is rolled out without stopping the old pod",
    package: emitters,
    find: 'update === "replace" ? "Recreate"',
    replace: 'update !== "replace" ? "Recreate"',
  },
  {
    what: "a Service points to another port of its pods",
    package: emitters,
    find: "targetPort: target",
    replace: "targetPort: port",
  },
  {
    what: "a disruption budget has no spec",
    package: emitters,
    find: 'kind: "PodDisruptionBudget",\n    metadata: metadataOf(plan),\n    spec: plan.spec,',
    replace: 'kind: "PodDisruptionBudget",\n    metadata: metadataOf(plan),\n    spec: {},',
  },
];
