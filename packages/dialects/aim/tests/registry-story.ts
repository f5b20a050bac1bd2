import type { JsonObject } from "@trivium/std";
import type { PushPlace, Step, Story } from "@trivium/testkit";

const apiVersion = "aim.silogen.ai/v1alpha1";
const profile = {
  metadata: { engine: "vllm", gpu: "MI300X", gpu_count: 1, precision: "fp8", metric: "latency", type: "optimized" },
};
const dryRun = JSON.stringify([{ profile, models: [{ name: "acme/Foo", source: "hf://acme/Foo", size_gb: 1 }] }]);

/** A story like those of `stories/aim`, about a registry that is on another port each time, with KServe and without. */
export function registryStory({ host, login }: PushPlace, installs: readonly string[]): Story {
  const secret = (namespace: string) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "login", namespace },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": btoa(JSON.stringify({ auths: { [host]: { auth: btoa(login) } } })) },
  });
  const source = {
    apiVersion,
    kind: "AIMClusterModelSource",
    metadata: { name: "own" },
    spec: {
      registry: host,
      imagePullSecrets: [{ name: "login" }],
      filters: [{ image: "acme/aim-foo*", versions: [">=1.0.0"] }],
    },
  };
  const service = {
    apiVersion,
    kind: "AIMService",
    metadata: { name: "bar", namespace: "team-a" },
    spec: {
      model: { image: `${host}/acme/aim-bar:2.0.0` },
      imagePullSecrets: [{ name: "login" }],
      serviceAccountName: "runner",
    },
  };
  const credentials = { "imagePullSecrets.0.name": "login", serviceAccountName: "runner" };
  const ofBar = "aim.silogen.ai/auto-created=true";
  return {
    name: "registry",
    given: {
      about: "An image of a registry that wants a login, from its labels to what serves it",
      namespaces: ["aim-system", "team-a"],
      installs,
      nodes: [
        {
          name: "gpu-node",
          accelerators: [{ vendor: "amd", product: "AMD_Instinct_MI300X", count: 8, memoryGiB: 192, deviceId: "74a1" }],
        },
      ],
      stages: [
        {
          name: "dry run",
          match: { container: "discovery" },
          life: { log: [{ text: dryRun }], exit: { after: "5s", code: 0 } },
        },
      ],
    },
    steps: [
      {
        step: "A source searches the registry without credentials",
        apply: [source],
        sees: {
          "aimclsrc/own": { "status.status": "Failed", "status.conditions.Ready.message": "/login/" },
          "aimclustermodels[aim.silogen.ai/model-source=own]": { count: 0 },
        },
      },
      {
        step: "The credentials are created, and one model: one version matches",
        apply: [secret("aim-system")],
        // A missing Secret is looked up again every 5 s.
        passes: "6s",
        sees: {
          "aimclsrc/own": { "status.status": "Ready", "status.discoveredModels": 1 },
          "aimclustermodels[aim.silogen.ai/model-source=own]": {
            count: 1,
            each: {
              "spec.image": `${host}/acme/aim-foo:1.0.0`,
              "status.conditions.MetadataExtracted": { status: "True", reason: "MetadataExtracted" },
            },
          },
        },
      },
      {
        step: "Discovery of its template succeeds, and the model is ready",
        passes: "60s",
        sees: {
          "aimclustermodels[aim.silogen.ai/model-source=own]": { count: 1, each: { "status.status": "Ready" } },
          "aimclusterservicetemplates[aim.silogen.ai/auto-generated=true]": {
            count: 1,
            each: { "status.status": "Ready", "status.modelSources.0.sourceUri": "hf://acme/Foo" },
          },
        },
      },
      {
        step: "A team's service specifies another image; a model is created for it, whose Secret does not exist",
        apply: [
          service,
          { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "runner", namespace: "team-a" } },
        ],
        sees: {
          [`aimmodels[${ofBar}]@team-a`]: {
            count: 1,
            each: {
              spec: credentials,
              "status.conditions.MetadataExtracted": { status: "False", reason: "SecretNotFound" },
            },
          },
          "aimsvc/bar@team-a": { "status.status": "Failed", "status.conditions.Ready.message": "/login/" },
        },
      },
      {
        step: "The Secret is created: the labels are read, and Secret and service account are passed to the Job",
        apply: [secret("team-a")],
        passes: "6s",
        sees: {
          [`aimmodels[${ofBar}]@team-a`]: {
            count: 1,
            each: { "status.imageMetadata.model.canonicalName": "acme/Bar" },
          },
          "aimservicetemplates[aim.silogen.ai/auto-generated=true]@team-a": { count: 1, each: { spec: credentials } },
          "jobs[app.kubernetes.io/name=aim-discovery]@team-a": {
            count: 1,
            each: {
              "spec.template.spec": credentials,
              "spec.template.spec.containers.0.image": `${host}/acme/aim-bar:2.0.0`,
            },
          },
        },
      },
      ...(installs.includes("kserve") ? askedKServe(credentials) : []),
      {
        step: "The service runs, with the same Secret and service account",
        passes: "20s",
        sees: {
          "aimsvc/bar@team-a": {
            "status.status": "Running",
            "status.templateMatching.candidates.0": { status: "chosen", reason: "BestMatch" },
          },
          ...(installs.includes("kserve")
            ? {}
            : {
                "deployment/bar-predictor@team-a": {
                  "spec.template.spec": { ...credentials, containers: imageOf(host) },
                },
              }),
        },
      },
    ],
  };
}

const imageOf = (host: string): JsonObject => ({ "0.image": `${host}/acme/aim-bar:2.0.0` });

/** Where there is KServe, it is told all of it, and says when it answers. */
const askedKServe = (credentials: JsonObject): Step[] => [
  {
    step: "The InferenceService is created, with the same Secret and service account",
    passes: "20s",
    sees: { "inferenceservice/bar@team-a": { "spec.predictor": credentials } },
  },
  {
    step: "It is ready",
    reports: {
      "inferenceservice/bar@team-a": {
        observedGeneration: 1,
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
      },
    },
  },
];
