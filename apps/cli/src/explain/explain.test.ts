import assert from "node:assert/strict";
import { test } from "node:test";
import type { Part } from "@trivium/explain";
import type { AnyObject, Event } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { printExplanation } from "./print.ts";
import { standingOf } from "./state.ts";
import { chooseSubject, readSubject, remedyFor } from "./subject.ts";

const kinds = dialects.flatMap((dialect) => dialect.kinds);
const now = Date.parse("2026-01-01T01:00:00Z");
const at = (time: string) => `2026-01-01T${time}Z`;

/** The two kinds of InferenceService are told apart by the condition that sums up. */
function apiVersionOf(kind: string, status: object): string {
  if (kind.startsWith("AIM")) return "aim.silogen.ai/v1alpha1";
  if (kind === "BenchmarkJob") return "ome.io/v1beta1";
  const isLlmkube = JSON.stringify(status).includes('"Available"');
  if (kind === "InferenceService" || kind === "Model")
    return isLlmkube ? "inference.llmkube.dev/v1alpha1" : "ome.io/v1beta1";
  return "v1";
}

const thing = (kind: string, name: string, status: object, spec: object = {}): AnyObject =>
  ({
    apiVersion: apiVersionOf(kind, status),
    kind,
    metadata: { name, namespace: "team", uid: name },
    spec,
    status,
  }) as unknown as AnyObject;
const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: at("00:40:00"),
});
const part = (object: AnyObject, ...parts: Part[]): Part => ({ object, parts });

test("a subject is read as kubectl reads it, and refused with what to write instead", () => {
  const read = (...words: string[]) => {
    const { kinds: meant, name } = readSubject(words, kinds);
    return `${meant.map(({ kind, group }) => `${kind}.${group}`).join(" ")} ${name}`;
  };
  assert.equal(read("aimservice/chat"), "AIMService.aim.silogen.ai AIMService.aim.eai.amd.com chat");
  assert.equal(read("aim/chat"), "AIMService.aim.silogen.ai chat");
  assert.equal(read("aim-eai/chat"), "AIMService.aim.eai.amd.com chat");
  assert.equal(read("aimservice.aim.eai.amd.com/chat"), "AIMService.aim.eai.amd.com chat");
  assert.equal(read("aimsvc.aim.silogen.ai", "chat"), "AIMService.aim.silogen.ai chat");
  assert.equal(read("AIMServices.v1alpha1.aim.silogen.ai/chat"), "AIMService.aim.silogen.ai chat");
  assert.equal(read("isvc.ome.io/chat"), "InferenceService.ome.io chat");
  assert.equal(read("isvc.v1beta1.ome.io/chat"), "InferenceService.ome.io chat");
  assert.equal(read("isvc/chat"), "InferenceService.ome.io InferenceService.inference.llmkube.dev chat");
  const both = readSubject(["isvc/chat"], kinds);
  const place = { where: "namespace team", known: ["chta"], otherwise: "choose another namespace with -n" };
  assert.equal(chooseSubject(both, both.kinds.slice(1), place).kind.group, "inference.llmkube.dev");
  assert.throws(
    () => chooseSubject(both, [], place),
    /^Refusal: InferenceService chat not found in namespace team; did you mean chta\?$/,
  );
  assert.throws(
    () => chooseSubject(both, [], { ...place, known: [] }),
    /not found in namespace team; choose another namespace with -n$/,
  );
  const several = /^Refusal: several objects have the name chat; use ome\/chat or llmkube\/chat$/;
  assert.throws(() => chooseSubject(both, both.kinds, place), several);
  assert.equal(read("ome/chat"), "InferenceService.ome.io chat");
  assert.match(read("chat"), /^AIMService\S+ AIMService\S+ InferenceService.ome.io InferenceService\S+ chat$/);
  assert.throws(() => read("aimservce/chat"), /unknown kind aimservce; did you mean aimservice\?$/);
  assert.throws(() => read("gateways/chat"), /unknown kind gateways; use one of aimmodel, /);
  assert.throws(
    () => read("pod/chat"),
    /kinds of AIM, OME and LLMKube only; use kubectl describe pods chat, or explain/,
  );
  assert.deepEqual(readSubject(["service/chat"], kinds), readSubject(["chat"], kinds));
  // A file `model.gguf` becomes a service `model`, which is the name of a kind as well.
  assert.equal(read("model"), read("chat").replace(/chat$/, "model"));
  const remedy = (...words: string[]) => remedyFor(words, kinds, "choose another namespace");
  assert.match(remedy("model"), /^name the object as kind\/name/);
  assert.equal(remedy("chat"), "choose another namespace");
  for (const words of [["aimservice/"], ["/x"], ["a/b/c"], ["a", "b", "c"], [""]])
    assert.throws(() => read(...words), /name the object as kind\/name/, words.join(" "));
});

test("every kind says where it stands in its own words", () => {
  const cases: [string, object, string, object?][] = [
    ["Pod", { phase: "Running", conditions: [condition("Ready", "True", "", "")] }, "ready Running"],
    [
      "Pod",
      { phase: "Pending", conditions: [condition("PodScheduled", "False", "Unschedulable", "0/1 nodes")] },
      "failed Pending 0/1 nodes",
    ],
    [
      "Pod",
      {
        phase: "Running",
        containerStatuses: [{ state: { waiting: { reason: "CrashLoopBackOff", message: "back-off" } } }],
      },
      "failed CrashLoopBackOff back-off",
    ],
    [
      "Pod",
      { phase: "Failed", containerStatuses: [{ state: { terminated: { exitCode: 7 } } }] },
      "failed Failed exit code 7",
    ],
    ["Pod", {}, "progressing Pending"],
    ["Deployment", { readyReplicas: 1 }, "progressing 1/2", { replicas: 2 }],
    ["Deployment", { readyReplicas: 0 }, "ready 0/0", { replicas: 0 }],
    ["ReplicaSet", { conditions: [condition("ReplicaFailure", "True", "FailedCreate", "quota")] }, "failed 0/1 quota"],
    ["Job", { conditions: [condition("Failed", "True", "BackoffLimitExceeded", "limit")] }, "failed Failed limit"],
    ["PersistentVolumeClaim", { phase: "Bound" }, "ready Bound"],
    [
      "InferenceService",
      {
        conditions: [
          condition("Ready", "True", "ServesWithoutModel", "Pods still serve"),
          condition("ModelReady", "False", "ModelNotFound", "Model m does not exist"),
        ],
      },
      "degraded Ready Model m does not exist",
    ],
    ["AIMModel", { status: "Degraded", conditions: [condition("Ready", "False", "X", "why")] }, "failed Degraded why"],
    [
      "AIMService",
      {
        status: "Pending",
        conditions: [condition("Ready", "False", "X", "waits"), condition("Failure", "False", "Y", "")],
      },
      "progressing Pending waits",
    ],
    [
      "Model",
      {
        phase: "Failed",
        conditions: [condition("Available", "False", "NotReady", "no claim"), condition("Degraded", "True", "X", "")],
      },
      "failed Failed no claim",
    ],
    [
      "InferenceService",
      {
        phase: "Creating",
        conditions: [
          condition("Available", "False", "NotReady", "No replica answers yet"),
          condition("Progressing", "True", "Creating", "Fetching weights: 1 of 2 MiB (50 %)"),
        ],
      },
      "progressing Creating Fetching weights: 1 of 2 MiB (50 %)",
    ],
    [
      "InferenceService",
      {
        phase: "Failed",
        conditions: [
          condition("Available", "True", "PartiallyReady", "What ran before still answers"),
          condition("Degraded", "True", "ModelNotFound", "Model m does not exist; create it"),
        ],
      },
      "degraded Failed Model m does not exist; create it",
    ],
    [
      "InferenceService",
      {
        conditions: [
          condition("Ready", "Unknown", "Waiting", "BaseModel m does not exist; create it"),
          condition("ModelReady", "False", "ModelNotFound", "BaseModel m does not exist; create it"),
        ],
      },
      "failed ModelNotFound BaseModel m does not exist; create it",
    ],
    [
      "InferenceService",
      { conditions: [condition("Ready", "False", "MinimumReplicasUnavailable", "starting")] },
      "progressing MinimumReplicasUnavailable starting",
    ],
    ["BenchmarkJob", { state: "Failed", failureMessage: "no quota" }, "failed Failed no quota"],
    [
      "InferenceService",
      { phase: "Stopped", conditions: [condition("Available", "False", "Asleep", "The next request wakes it")] },
      "idle Stopped The next request wakes it",
    ],
    [
      "AIMService",
      {
        status: "Pending",
        conditions: [condition("Ready", "False", "ModelNotFound", "no model"), condition("Failure", "False", "Y", "")],
      },
      "failed ModelNotFound no model",
    ],
    [
      "InferenceService",
      {
        conditions: [
          condition("Ready", "True", "Ready", "All components are ready"),
          condition("EngineReady", "True", "Idle", "Scaled to zero; starts on the next request"),
        ],
      },
      "idle Idle Scaled to zero; starts on the next request",
    ],
    [
      "AIMService",
      {
        status: "Starting",
        conditions: [
          condition("Ready", "False", "ConfiguringRoute", "Waiting for the route"),
          condition("HPAReady", "False", "HPANotFound", "Creating the HorizontalPodAutoscaler"),
        ],
      },
      "progressing Starting Waiting for the route",
    ],
    [
      "AIMService",
      {
        status: "Starting",
        conditions: [
          condition("Ready", "False", "ConfiguringRoute", "Waiting for the route"),
          condition("CacheReady", "False", "WaitingForCache", "Waiting for the cache"),
          condition("HPAReady", "False", "MetricsFailed", "KEDA cannot read metrics"),
        ],
      },
      "failed MetricsFailed KEDA cannot read metrics",
    ],
    [
      "AIMService",
      {
        status: "Running",
        conditions: [
          condition("Ready", "Unknown", "NotManaged", "Nothing acts on it"),
          condition("Failure", "True", "X", "what was wrong before"),
        ],
      },
      "failed NotManaged Nothing acts on it",
    ],
    ["BenchmarkJob", { state: "Running" }, "progressing Running"],
    ["AIMRuntimeConfig", {}, "ready Exists"],
  ];
  for (const [kind, status, expected, spec] of cases) {
    const { is, word, why } = standingOf(thing(kind, "x", status, spec));
    assert.equal([is, word, why].filter((each) => each !== undefined).join(" "), expected, kind);
  }
});

test("the cause comes first, each thing is said once, and what is over is left out", () => {
  const service = thing("AIMService", "chat", {
    status: "Degraded",
    conditions: [
      condition("Ready", "False", "NoGPU", "No node has MI300X"),
      condition("RuntimeReady", "False", "NoGPU", "No node has MI300X"),
      condition("CacheReady", "False", "WaitingForCache", "Not known yet"),
      condition("Failure", "True", "NoGPU", "No node has MI300X"),
    ],
  });
  const pod = thing("Pod", "chat-1", {
    phase: "Pending",
    conditions: [condition("PodScheduled", "False", "Unschedulable", "0/1 nodes")],
  });
  const event = {
    involvedObject: { kind: "Pod", name: "chat-1", uid: "chat-1" },
    reason: "Unhealthy",
    message: "no answer",
    lastTimestamp: at("00:59:30"),
    metadata: {},
  } as unknown as Event;
  const known = { ...event, message: "0/1 nodes" } as Event;
  const gathered = {
    ...part(service, part(thing("Deployment", "chat", {}, { replicas: 1 }), part(pod))),
    uses: [
      thing("AIMModel", "m", {
        status: "NotAvailable",
        conditions: [condition("Ready", "False", "X", "No node has MI300X")],
      }),
    ],
    missing: [],
    warnings: [known, event, event],
    explanation: {
      choice: {
        of: "AIMServiceTemplate",
        chosen: "a",
        because: "the only compatible of 2",
        candidates: [
          {
            name: "b",
            is: "rejected",
            failed: [{ gate: "GPU", reason: "GPU", actual: "none", required: "MI300X" }],
          },
          { name: "a", is: "chosen", failed: [] },
        ],
      },
      fit: {
        fits: "no",
        bytes: 3 * 1024 ** 3,
        shares: [
          {
            place: "device",
            times: 1,
            bytes: 3 * 1024 ** 3,
            available: 2 * 1024 ** 3,
            terms: [{ what: "weights", bytes: 3 * 1024 ** 3, how: "the files" }],
          },
        ],
        alternatives: [{ change: "quantization", text: "weights quantized as Q4_K_M" }],
      },
    },
  } as const;
  assert.equal(
    printExplanation(gathered, now),
    `AIMService team/chat (aim.silogen.ai) is not ready and needs action: Failed (Degraded), for 20m

Why
  No node has MI300X

Failing conditions
  RuntimeReady (NoGPU), Failure (NoGPU): same cause
  CacheReady (WaitingForCache): Not known yet

Selection of AIMServiceTemplate
  chosen    a: the only compatible of 2
  rejected  b: GPU: requires MI300X, found none

Memory
  device: 3.0Gi of 2.0Gi
    3.0Gi  weights: the files
  It does not fit; would fit: weights quantized as Q4_K_M

Depends on
  AIMModel m  NotAvailable

Owns
  Deployment chat  0/1
    Pod chat-1  Pending: 0/1 nodes

Path to the cause
  AIMService chat -> uses AIMModel m (NotAvailable)

Warnings
  30s ago  Pod chat-1: Unhealthy: no answer
`,
  );
  const served = thing("InferenceService", "chat", {
    conditions: [condition("Ready", "True", "", "")],
  });
  const well = { ...served, apiVersion: "ome.io/v1beta1" } as AnyObject;
  const before = { ...event, lastTimestamp: at("00:30:00") } as Event;
  assert.equal(
    printExplanation({ ...part(well), uses: [], missing: [], warnings: [before], explanation: {} }, now),
    `InferenceService team/chat (ome.io) is ready: Ready, for 20m
`,
  );
});

test("what waits for something that only a person can mend needs action; what waits for work in progress does not", () => {
  const waiting = thing("AIMService", "chat", {
    status: "Starting",
    conditions: [condition("Ready", "False", "WaitingForCache", "AIMTemplateCache t is being filled")],
  });
  const cache = (reason: string) =>
    thing("AIMModelCache", "c", {
      status: "Progressing",
      conditions: [
        condition("Ready", "False", "WaitingForPVC", "no volume"),
        condition("StorageReady", "False", reason, ""),
      ],
    });
  const headlineWith = (reason: string) =>
    printExplanation(
      { ...part(waiting, part(cache(reason))), uses: [], missing: [], warnings: [], explanation: {} },
      now,
    ).split("\n")[0];
  assert.match(headlineWith("StorageClassMissing") ?? "", /is not ready and needs action: Failed\b(?! \()/);
  assert.match(headlineWith("PVCPending") ?? "", /is progressing: Starting/);
});
