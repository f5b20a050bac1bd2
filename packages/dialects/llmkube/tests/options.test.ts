import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { api, Deployment } from "@trivium/kube";
import { readCases } from "@trivium/testkit";
import type { InferenceService } from "../src/index.ts";
import type { ObservedService } from "../src/inference-service/observe.ts";
import { serviceReconciler } from "../src/inference-service/reconciler.ts";
import { defaultOptions, type LlmkubeOptions } from "../src/options.ts";

const cases = readCases<InferenceService, ObservedService>(join(import.meta.dirname, "../src/inference-service/cases"));

interface Emitted {
  readonly pod: api.PodSpec;
  readonly annotations: Readonly<Record<string, string>>;
  readonly kinds: readonly string[];
}

/** What a saved world leads to where the operator was started with other options. */
function withOptions(
  name: string,
  options: Partial<LlmkubeOptions>,
  change: (observed: ObservedService) => ObservedService = (observed) => observed,
): Emitted {
  const saved = cases.find((one) => one.name === name);
  assert.ok(saved, name);
  const { object, observed, now } = saved;
  const decision = serviceReconciler({ ...defaultOptions, ...options }).decide(object, change(observed), now);
  assert.ok(decision.do === "converge");
  const deployment = decision.children.find(({ kind }) => kind.kind === "Deployment")?.object as Deployment;
  const { template } = deployment.spec ?? assert.fail();
  return {
    pod: template.spec ?? assert.fail(),
    annotations: template.metadata?.annotations ?? {},
    kinds: decision.children.map(({ kind, object: { metadata } }) => `${kind.kind} ${metadata.name}`),
  };
}

const { cache } = defaultOptions;
const preparation = ({ initContainers = [] }: api.PodSpec) =>
  initContainers.find(({ name }) => name === "model-cache-prep")?.command?.at(-1);

test("I13: the cache is made writable for the group of the pods, before anything is fetched", () => {
  const { pod } = withOptions("i02-cpu", {});
  assert.equal(preparation(pod), "chown 0:102 /models && chmod g+rwX /models");
  assert.deepEqual(
    pod.initContainers?.map(({ name }) => name),
    ["model-cache-prep", "model-downloader"],
  );
  assert.deepEqual(pod.securityContext, { seccompProfile: { type: "RuntimeDefault" }, fsGroup: 102 });
});

test("I40: on OpenShift pods name no group, and the cache is prepared for the one of the image", () => {
  for (const fsGroup of [undefined, 0]) {
    const { pod } = withOptions("i02-cpu", { fsGroup });
    assert.equal(preparation(pod), "chown 100:100 /models && chmod 770 /models");
    assert.deepEqual(pod.securityContext, { seccompProfile: { type: "RuntimeDefault" } });
  }
});

test("I18: a cache for each service, or none", () => {
  const absent = (observed: ObservedService): ObservedService => ({ ...observed, claim: { is: "absent" } });
  const each = withOptions("i02-cpu", { cache: { ...cache, mode: "perService" } }, absent);
  assert.ok(each.kinds.includes("PersistentVolumeClaim tiny-model-cache"), each.kinds.join());
  const none = withOptions("i02-cpu", { cache: { ...cache, mode: "none" } });
  assert.deepEqual(none.pod.volumes, [{ name: "model-storage", emptyDir: {} }]);
  assert.deepEqual(
    none.pod.initContainers?.map(({ name }) => name),
    ["model-downloader"],
  );
  const shared = withOptions("i02-cpu", {}, absent);
  assert.ok(shared.kinds.includes("PersistentVolumeClaim llmkube-model-cache"), shared.kinds.join());
});

test("a service that is blocked gets a closed Service, unless a claim of its own could go for it", () => {
  const saved = cases.find(({ name }) => name === "i01-model-missing") ?? assert.fail();
  const decide = (mode: LlmkubeOptions["cache"]["mode"]) =>
    serviceReconciler({ ...defaultOptions, cache: { ...cache, mode } }).decide(saved.object, saved.observed, saved.now)
      .do;
  assert.deepEqual([decide("shared"), decide("none"), decide("perService")], ["converge", "converge", "hold"]);
});

test("certificates of a ConfigMap are trusted by downloads besides the usual ones, and by nothing else", () => {
  const { pod } = withOptions("i02-cpu", { certificates: "company" });
  const downloader = pod.initContainers?.find(({ name }) => name === "model-downloader");
  assert.deepEqual(downloader?.env, [{ name: "TRIVIUM_WEIGHTS_CERTIFICATES", value: "/custom-certs" }]);
  assert.ok(downloader?.volumeMounts?.some(({ name, readOnly }) => name === "custom-certs" && readOnly === true));
  assert.ok(pod.volumes?.some(({ name, configMap }) => name === "custom-certs" && configMap?.name === "company"));
  assert.ok(!pod.containers[0]?.volumeMounts?.some(({ name }) => name === "custom-certs"));
});

test("images, scraping and the render group are the operator's to choose", () => {
  const image = "registry.internal/llama:1";
  const { pod, annotations } = withOptions("i02-cpu", {
    images: { ...defaultOptions.images, runtimes: { llamacpp: image } },
    scraping: "annotated",
  });
  assert.equal(pod.containers[0]?.image, image);
  assert.deepEqual([annotations["prometheus.io/port"], annotations["prometheus.io/path"]], ["8080", "/metrics"]);
  const vulkan = withOptions("i05-amd-vulkan", { renderGroup: 109 });
  assert.deepEqual(vulkan.pod.securityContext?.supplementalGroups, [109]);
});
