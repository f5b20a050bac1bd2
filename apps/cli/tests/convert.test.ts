import assert from "node:assert/strict";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { PortableKey, ReadService, ServingDialect } from "@trivium/domain";
import { convertServices, type LedgerEntry } from "@trivium/engines";
import { type AnyObject, admitObject, apiVersionOf } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { readCases } from "@trivium/testkit";
import { parseAllDocuments } from "yaml";
import { trivium } from "./running.ts";

const root = join(import.meta.dirname, "../../..");

interface World {
  readonly name: string;
  readonly objects: readonly AnyObject[];
}

const isService = ({ kind, apiVersion }: AnyObject, { serviceKind }: ServingDialect): boolean =>
  kind === serviceKind.kind && apiVersion === apiVersionOf(serviceKind);

/** Every example, all files of a folder together: a service names models of its neighbours. */
function exampleWorlds(dialect: string): World[] {
  const folder = join(root, "examples", dialect);
  const files = globSync("*.yaml", { cwd: folder }).sort();
  const objectsOf = (file: string) =>
    parseAllDocuments(readFileSync(join(folder, file), "utf8")).map((one) => one.toJS() as AnyObject);
  return files.map((file) => ({ name: `examples/${dialect}/${file}`, objects: objectsOf(file) }));
}

/** Every saved case of a service, with the objects that its reconciler observed. */
function caseWorlds(dialect: ServingDialect): World[] {
  const folders = globSync(`packages/dialects/${dialect.name}/src/*/cases`, { cwd: root }).filter((folder) =>
    existsSync(join(root, folder)),
  );
  return folders.flatMap((folder) =>
    readCases(join(root, folder))
      .filter(({ object }) => isService(object as AnyObject, dialect))
      .map((saved) => ({
        name: `${dialect.name} case ${saved.name}`,
        objects: withModel([saved.object as AnyObject, ...objectsIn(saved.observed, dialect)], dialect),
      })),
  );
}

const models: Readonly<Record<string, (name: string) => object>> = {
  aim: (name) => ({
    apiVersion: "aim.silogen.ai/v1alpha1",
    kind: "AIMModel",
    metadata: { name },
    spec: {
      image: "registry.example/aim:1",
      modelSources: [{ modelId: "example/weights", sourceUri: "hf://example/weights" }],
      custom: { hardware: { gpu: { requests: 1 } } },
    },
  }),
  ome: (name) => ({
    apiVersion: "ome.io/v1beta1",
    kind: "ClusterBaseModel",
    metadata: { name },
    spec: { storage: { storageUri: "hf://example/weights" } },
  }),
  llmkube: (name) => ({
    apiVersion: "inference.llmkube.dev/v1alpha1",
    kind: "Model",
    metadata: { name },
    spec: { source: "hf://example/weights/a.gguf" },
  }),
};

/** Reconcilers observe some models in a form of their own: such a case gets a plain model, so that its service is converted too. */
function withModel(objects: readonly AnyObject[], dialect: ServingDialect): readonly AnyObject[] {
  const [service, ...others] = objects;
  if (service === undefined || dialect.readService(service, others).is === "read") return objects;
  const spec = service.spec as {
    model?: { name?: string; ref?: string; image?: string };
    modelRef?: string;
    predictor?: { model?: { baseModel?: string } };
  };
  const name = spec.modelRef ?? spec.model?.name ?? spec.model?.ref ?? spec.predictor?.model?.baseModel ?? "weights";
  const made = (models[dialect.name]?.(name) ?? {}) as AnyObject;
  const { namespace } = service.metadata;
  if (namespace !== undefined) made.metadata.namespace = namespace;
  if (spec.model?.image !== undefined) (made.spec as { image?: string }).image = spec.model.image;
  return [service, made, ...others.filter((one) => one.metadata.name !== name)];
}

function objectsIn(value: unknown, dialect: ServingDialect): AnyObject[] {
  if (typeof value !== "object" || value === null) return [];
  const { apiVersion, kind, spec } = value as Partial<AnyObject>;
  if (typeof apiVersion === "string" && apiVersion.startsWith(`${dialect.group}/`) && kind && spec)
    return [value as AnyObject];
  return Object.values(value).flatMap((inner) => objectsIn(inner, dialect));
}

const readOf = (objects: readonly AnyObject[], dialect: ServingDialect): Map<string, ReadService> =>
  new Map(
    objects
      .filter((object) => isService(object, dialect))
      .map((object) => [
        object.metadata.name ?? "",
        dialect.readService(
          object,
          objects.filter((one) => one !== object),
        ),
      ]),
  );

const faultsOf = (objects: readonly AnyObject[], dialect: ServingDialect): string[] =>
  objects
    .filter(({ apiVersion }) => apiVersion.startsWith(`${dialect.group}/`))
    .flatMap((object) => {
      const kind = dialect.kinds.find((one) => one.kind === object.kind);
      assert.ok(kind, `${object.kind} is not a kind of ${dialect.name}`);
      const { faults, unknown } = admitObject(kind, object as never);
      return [...faults.map((fault) => JSON.stringify(fault)), ...unknown];
    });

/** What is carried over reads the same in the other API, and again after the way back; what is kept is back in its place. */
function checkRoundTrip({ objects }: World, from: ServingDialect, to: ServingDialect): "converted" | string {
  const there = convertServices(objects, { from, to });
  if (there.is === "impossible") return there.why;
  assert.deepEqual(faultsOf(there.objects, to), [], "the API server accepts what is written");
  const back = convertServices(there.objects, { from: to, to: from });
  if (back.is !== "converted") assert.fail(back.why);
  assert.deepEqual(faultsOf(back.objects, from), []);
  const [first, second, third] = [readOf(objects, from), readOf(there.objects, to), readOf(back.objects, from)];
  for (const [name, before] of first) {
    if (before.is !== "read") continue;
    for (const key of carriedKeys(before, there.ledger)) {
      const [other, again] = [second.get(name), third.get(name)];
      assert.ok(other?.is === "read" && again?.is === "read");
      assert.deepEqual(other.service[key], before.service[key], `${name}: ${key} in ${to.name}`);
      assert.deepEqual(again.service[key], before.service[key], `${name}: ${key} back in ${from.name}`);
    }
    checkKept(before, there.ledger, back.objects);
  }
  return "converted";
}

function carriedKeys({ fields }: Extract<ReadService, { is: "read" }>, ledger: readonly LedgerEntry[]): PortableKey[] {
  const carried = new Set(
    ledger.filter(({ outcome }) => outcome === "carried").map(({ object, field }) => `${object} ${field}`),
  );
  return fields.flatMap(({ kind, name, path, key }) =>
    key !== undefined && key !== "annotations" && carried.has(`${kind} ${name} ${path.join(".")}`) ? [key] : [],
  );
}

/** A kept value is in the objects again, not only in the annotation; a value that another one took the place of stays there. */
function checkKept(
  { fields }: Extract<ReadService, { is: "read" }>,
  ledger: readonly LedgerEntry[],
  back: readonly AnyObject[],
) {
  const kept = new Set(
    ledger.filter(({ outcome }) => outcome === "kept").map(({ object, field }) => `${object} ${field}`),
  );
  const text = JSON.stringify(back.map(withoutKept)).replaceAll('\\"', '"');
  for (const { kind, name, path, value } of fields) {
    if (!kept.has(`${kind} ${name} ${path.join(".")}`)) continue;
    const values = Array.isArray(value) ? value : [value];
    for (const one of values)
      assert.ok(
        text.includes(JSON.stringify(one).replaceAll('\\"', '"')),
        `${kind} ${name} ${path.join(".")} is back: ${JSON.stringify(one)}`,
      );
  }
}

function withoutKept(object: AnyObject): AnyObject {
  const annotations = Object.entries(object.metadata.annotations ?? {}).filter(
    ([name]) => !name.startsWith("trivium.dev/kept-"),
  );
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(annotations) } };
}

for (const from of dialects)
  for (const to of dialects.filter((one) => one !== from))
    describe(`${from.name} to ${to.name} and back`, () => {
      const worlds = [...exampleWorlds(from.name), ...caseWorlds(from)].filter(({ objects }) =>
        objects.some((object) => isService(object, from)),
      );
      const outcomes = new Map<string, string>();
      for (const world of worlds)
        test(world.name, () => {
          outcomes.set(world.name, checkRoundTrip(world, from, to));
        });
      test("what cannot be converted names the cause", () => {
        for (const [name, outcome] of outcomes)
          if (outcome !== "converted") assert.match(outcome, allowed, `${name}: ${outcome}`);
        const count = [...outcomes.values()].filter((one) => one === "converted").length;
        assert.ok(count > 0);
      });
    });

const allowed =
  /not found; add it to the file|known to its image only|does not download|does not read|downloads|accepts no|names no model/;

test("the command writes manifests to standard output and the account of every field to standard error", async () => {
  const file = join(root, "examples/llmkube/demo.yaml");
  const done = trivium(["convert", "-f", file, "--to", "ome"], {});
  assert.equal(await done.ended, 0);
  assert.deepEqual(
    parseAllDocuments(done.output()).map((one) => (one.toJS() as AnyObject).kind),
    ["BaseModel", "ServingRuntime", "InferenceService"],
  );
  assert.match(
    done.errors(),
    /^Carried over \(\d+\)\n {2}InferenceService demo spec\.modelRef -> InferenceService spec\.model\.name/m,
  );
  const same = trivium(["convert", "-f", file, "--to", "llmkube"], {});
  assert.equal(await same.ended, 1);
  assert.match(same.errors(), /has no service to convert to llmkube; its services have that API already/);
});

for (const to of ["llmkube", "aim"])
  test(`half a pair of servers becomes one server in ${to}, and the account says so`, () => {
    const objects = parse(readFileSync(join(root, "examples/ome/prefill-decode.yaml"), "utf8"));
    const converted = convertServices(objects, { from: dialectOf("ome"), to: dialectOf(to) });
    if (converted.is !== "converted") assert.fail(converted.why);
    const written = JSON.stringify(converted.objects.map(withoutKept));
    assert.doesNotMatch(written, /disaggregation|PARALLELISM_SIZE/);
    if (to === "llmkube") assert.match(written, /--tp-size=4/);
    const [entry] = converted.ledger.filter(({ note }) => note?.includes("--disaggregation-mode=prefill"));
    assert.equal(entry?.outcome, "kept");
    assert.equal(entry.field, "spec.engineConfig.runner.args");
    assert.match(entry.note ?? "", /one half of a pair of servers/);
  });

test("a credential in plain text is not copied into an annotation", () => {
  const objects = [
    {
      apiVersion: "inference.llmkube.dev/v1alpha1",
      kind: "Model",
      metadata: { name: "m" },
      spec: { source: "hf://o/r/a.gguf" },
    },
    {
      apiVersion: "inference.llmkube.dev/v1alpha1",
      kind: "InferenceService",
      metadata: {
        name: "m",
        annotations: {
          "trivium.dev/kept-aim": '[{"kind":"AIMService","path":["spec","__proto__","x"],"value":1},7]',
          "kubectl.kubernetes.io/last-applied-configuration": '{"spec":{"env":[{"name":"TOKEN","value":"s3cr3t"}]}}',
        },
      },
      spec: {
        modelRef: "m",
        vllmConfig: { speculative: { enabled: true } },
        extraVolumes: [{ name: "v", csi: { driver: "d", volumeAttributes: { apiToken: "s3cr3t" } } }],
      },
    },
  ] as unknown as AnyObject[];
  const [llmkube, aim] = ["llmkube", "aim"].map((name) => dialects.find((one) => one.name === name));
  assert.ok(llmkube && aim);
  const converted = convertServices(objects, { from: llmkube, to: aim });
  assert.equal(converted.is, "converted");
  if (converted.is !== "converted") return;
  assert.doesNotMatch(JSON.stringify(converted.objects), /s3cr3t/);
  assert.ok(converted.ledger.some(({ outcome, field }) => outcome === "none" && field === "spec.extraVolumes"));
  assert.equal(({} as { x?: number }).x, undefined);
});

const dialectOf = (name: string): ServingDialect => {
  const found = dialects.find((one) => one.name === name);
  assert.ok(found);
  return found;
};

const parse = (text: string): AnyObject[] => parseAllDocuments(text).map((one) => one.toJS() as AnyObject);

/** The model `m` in namespaces a and b, with weights of their own, a service in each and a second one in b. */
const aimNamespaces = (group: string): string =>
  ["a", "b"]
    .map(
      (namespace) => `
{apiVersion: ${group}/v1alpha1, kind: AIMModel, metadata: {name: m, namespace: ${namespace}}, spec: {image: "registry.example/aim:1", custom: {hardware: {gpu: {requests: 1}}}, modelSources: [{modelId: x/y, sourceUri: "hf://example/w${namespace}"}]}}
---
{apiVersion: ${group}/v1alpha1, kind: AIMService, metadata: {name: s, namespace: ${namespace}}, spec: {model: {name: m}}}
---`,
    )
    .join("")
    .concat(
      `\n{apiVersion: ${group}/v1alpha1, kind: AIMService, metadata: {name: s2, namespace: b}, spec: {model: {name: m}}}`,
    );

const twoNamespaces: Readonly<Record<string, string>> = {
  llmkube: ["a", "b"]
    .map(
      (namespace) => `
{apiVersion: inference.llmkube.dev/v1alpha1, kind: Model, metadata: {name: m, namespace: ${namespace}}, spec: {source: "hf://example/w${namespace}/x.gguf"}}
---
{apiVersion: inference.llmkube.dev/v1alpha1, kind: InferenceService, metadata: {name: s, namespace: ${namespace}}, spec: {modelRef: m}}
---`,
    )
    .join("")
    .concat(
      "\n{apiVersion: inference.llmkube.dev/v1alpha1, kind: InferenceService, metadata: {name: s2, namespace: b}, spec: {modelRef: m}}",
    ),
  aim: aimNamespaces("aim.silogen.ai"),
  "aim-eai": aimNamespaces("aim.eai.amd.com"),
  ome: ["a", "b"]
    .map(
      (namespace) => `
{apiVersion: ome.io/v1beta1, kind: BaseModel, metadata: {name: m, namespace: ${namespace}}, spec: {storage: {storageUri: "hf://example/w${namespace}"}}}
---
{apiVersion: ome.io/v1beta1, kind: InferenceService, metadata: {name: s, namespace: ${namespace}}, spec: {model: {name: m}}}
---`,
    )
    .join("")
    .concat(
      "\n{apiVersion: ome.io/v1beta1, kind: InferenceService, metadata: {name: s2, namespace: b}, spec: {model: {name: m}}}",
    ),
};

for (const from of dialects)
  for (const to of dialects.filter((one) => one !== from))
    test(`each namespace has its own objects: ${from.name} to ${to.name}`, () => {
      const converted = convertServices(parse(twoNamespaces[from.name] ?? ""), { from, to });
      if (converted.is !== "converted") assert.fail(converted.why);
      const services = converted.objects.filter((object) => isService(object, to));
      assert.deepEqual(
        services.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
        ["a/s", "b/s", "b/s2"],
      );
      for (const service of services) {
        const { namespace = "" } = service.metadata;
        const beside = converted.objects.filter(({ metadata }) => metadata.namespace === namespace);
        const read = to.readService(service, beside);
        if (read.is !== "read") assert.fail(read.why);
        assert.equal(read.service.source, `hf://example/w${namespace}`);
      }
      assert.deepEqual([...new Set(converted.ledger.map((entry) => entry.namespace))], ["a", "b"]);
    });

test("a model of another namespace is not the model of a service", () => {
  const [model, , , , service] = parse(twoNamespaces.llmkube ?? "") as [AnyObject, ...AnyObject[]];
  assert.deepEqual(
    convertServices([model, service as AnyObject], { from: dialectOf("llmkube"), to: dialectOf("ome") }),
    {
      is: "impossible",
      why: "namespace b: Model m of InferenceService s2 not found; add it to the file",
    },
  );
});

test("a service of a third API with the same kind and name stays in the file", () => {
  const other = { apiVersion: "ome.io/v1beta1", kind: "InferenceService", metadata: { name: "s", namespace: "a" } };
  const objects = [other as AnyObject, ...parse(twoNamespaces.llmkube ?? "")];
  const converted = convertServices(objects, { from: dialectOf("llmkube"), to: dialectOf("aim") });
  assert.ok(converted.is === "converted" && converted.objects.includes(other as AnyObject));
});

for (const [name, args] of Object.entries({
  "a flag and its value": ["--api-key", "s3cr3t-key"],
  "a flag with its value": ["--hf-token=s3cr3t-key"],
  "an address": ["--proxy", "http://user:s3cr3t-key@proxy.example:1"],
}))
  test(`a credential in arguments is not copied into an annotation: ${name}`, () => {
    const [model, service] = parse(twoNamespaces.llmkube ?? "") as [AnyObject, AnyObject];
    const spec = { modelRef: "m", extraArgs: [...args, "--verbose"] };
    const converted = convertServices([model, { ...service, spec } as AnyObject], {
      from: dialectOf("llmkube"),
      to: dialectOf("aim"),
    });
    if (converted.is !== "converted") assert.fail(converted.why);
    assert.doesNotMatch(JSON.stringify(converted), /s3cr3t-key/);
    const entry = converted.ledger.find(({ field }) => field === "spec.extraArgs");
    assert.equal(entry?.outcome, "none");
    assert.equal(entry?.note, "not copied, because it can hold a credential; use a Secret");
  });

test("a service without a name is refused", () => {
  const [model, service] = parse(twoNamespaces.llmkube ?? "") as [AnyObject, AnyObject];
  const unnamed = { ...service, metadata: { generateName: "s-", namespace: "a" } } as AnyObject;
  const why = "namespace a: InferenceService has no metadata.name; add it";
  assert.deepEqual(convertServices([model, unnamed], { from: dialectOf("llmkube"), to: dialectOf("ome") }), {
    is: "impossible",
    why,
    faults: [{ object: unnamed, why }],
  });
});

test("every fault of a file is reported with its document", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-faults-"));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "services.yaml");
  const head = "apiVersion: inference.llmkube.dev/v1alpha1\nkind";
  writeFileSync(
    file,
    [
      `${head}: Model\nmetadata: {name: m}\nspec: {source: "hf://o/r/a.gguf", sha256: 7}`,
      `${head}: InferenceService\nmetadata: {name: good}\nspec: {modelRef: m}`,
      `${head}: InferenceService\nmetadata: {name: bad}\nspec: {modelRef: m, replicas: 99, nonsense: 1}`,
    ].join("\n---\n"),
  );
  const done = trivium(["convert", "--to", "ome", "-f", file], {});
  assert.equal(await done.ended, 1);
  const [first, ...lines] = done.errors().trimEnd().split("\n");
  assert.equal(first, `error: ${lines.length} faults in the manifests`);
  for (const expected of [
    /^ {2}.*services\.yaml: document 1: Model m is not valid: spec\.sha256/,
    /^ {2}.*services\.yaml: document 3: InferenceService bad is not valid: spec\.replicas/,
    /^ {2}.*services\.yaml: document 3: InferenceService bad is not valid: unknown field "spec\.nonsense"/,
  ])
    assert.ok(
      lines.some((line) => expected.test(line)),
      `${expected} in ${lines.join("\n")}`,
    );
});

test("every command that reads a file refuses a hostile one with one sentence", async () => {
  const folder = mkdtempSync(join(tmpdir(), "trivium-hostile-"));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "hostile.yaml");
  writeFileSync(file, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: &d {a: *d}\n");
  for (const words of [["convert", "--to", "ome", "-f"], ["plan", "-f"], ["run"]]) {
    const done = trivium([...words, file], {});
    assert.equal(await done.ended, 1, words[0]);
    assert.equal(
      done.errors(),
      `error: ${file}: document 1 has an alias to a value that contains the alias; replace it with a value\n`,
    );
  }
});

for (const config of ["vllmConfig", "sglangConfig", "tgiConfig", "personaPlexConfig"])
  test(`the token of ${config} is carried over`, () => {
    const [model, service] = parse(twoNamespaces.llmkube ?? "") as [AnyObject, AnyObject];
    const spec = { modelRef: "m", [config]: { hfTokenSecretRef: { name: "hub", key: "hf" } } };
    const converted = convertServices([model, { ...service, spec } as AnyObject], {
      from: dialectOf("llmkube"),
      to: dialectOf("ome"),
    });
    if (converted.is !== "converted") assert.fail(converted.why);
    const [base] = converted.objects as unknown as { spec: { storage: object } }[];
    assert.deepEqual(base?.spec.storage, {
      storageUri: "hf://example/wa",
      key: "hub",
      parameters: { secretKey: "hf" },
    });
  });

test("metadata that belongs to the object in its cluster is reported, not copied", () => {
  const [model, service] = parse(twoNamespaces.llmkube ?? "") as [AnyObject, AnyObject];
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "u" };
  const more = { generateName: "s-", finalizers: ["example.com/a"], ownerReferences: [owner] };
  const objects = [
    { ...model, metadata: { ...model.metadata, finalizers: ["example.com/b"] } },
    { ...service, metadata: { ...service.metadata, ...more } },
  ] as AnyObject[];
  const converted = convertServices(objects, { from: dialectOf("llmkube"), to: dialectOf("ome") });
  if (converted.is !== "converted") assert.fail(converted.why);
  assert.deepEqual(
    converted.ledger.filter(({ outcome }) => outcome === "none").map(({ object, field }) => `${object} ${field}`),
    [
      "InferenceService s metadata.generateName",
      "InferenceService s metadata.finalizers",
      "InferenceService s metadata.ownerReferences",
      "Model m metadata.finalizers",
    ],
  );
});

test("a repository of AIM without GGUF is served by vLLM in LLMKube", () => {
  const converted = convertServices(parse(twoNamespaces.aim ?? "").slice(0, 2), {
    from: dialectOf("aim"),
    to: dialectOf("llmkube"),
  });
  if (converted.is !== "converted") assert.fail(converted.why);
  const [model, service] = converted.objects as unknown as { spec: { format?: string; runtime?: string } }[];
  assert.deepEqual([model?.spec.format, service?.spec.runtime], ["safetensors", "vllm"]);
});

test("an annotation that was written by hand sets no field that the API does not have, and none that is not the user's", () => {
  const [model, service] = parse(twoNamespaces.llmkube ?? "") as [AnyObject, AnyObject];
  const kept = [
    { kind: "AIMService", path: ["spec", "nonsense"], value: 1 },
    { kind: "AIMService", path: ["spec", "replicas"], value: "many" },
    { kind: "AIMService", path: ["metadata", "finalizers"], value: ["example.com/a"] },
    { kind: "AIMService", path: ["metadata", "ownerReferences"], value: [{ name: "x" }] },
    { kind: "AIMService", path: ["spec", "serviceAccountName"], value: "runner" },
  ];
  const metadata = { ...service.metadata, annotations: { "trivium.dev/kept-aim": JSON.stringify(kept) } };
  const to = dialectOf("aim");
  const converted = convertServices([model, { ...service, metadata } as AnyObject], { from: dialectOf("llmkube"), to });
  if (converted.is !== "converted") assert.fail(converted.why);
  assert.deepEqual(faultsOf(converted.objects, to), []);
  const own = converted.objects.find((object) => isService(object, to)) as AnyObject & {
    spec: { nonsense?: unknown; serviceAccountName?: string };
  };
  assert.deepEqual([own.spec.nonsense, own.spec.serviceAccountName], [undefined, "runner"]);
  assert.deepEqual([own.metadata.finalizers, own.metadata.ownerReferences], [undefined, undefined]);
});

test("an image that needs arguments is not the base image of AIM, and comes back with them", () => {
  const [ome, aim] = [dialectOf("ome"), dialectOf("aim")];
  const there = convertServices(parse(readFileSync(join(root, "examples/ome/laptop.yaml"), "utf8")), {
    from: ome,
    to: aim,
  });
  if (there.is !== "converted") assert.fail(there.why);
  assert.doesNotMatch(JSON.stringify(there.objects.map(withoutKept)), /llama\.cpp/);
  const back = convertServices(there.objects, { from: aim, to: ome });
  if (back.is !== "converted") assert.fail(back.why);
  const runtime = back.objects.find(({ kind }) => kind === "ServingRuntime") as unknown as {
    spec: { engineConfig: { runner: { image: string; args: string[] } } };
  };
  const { image, args } = runtime.spec.engineConfig.runner;
  assert.equal(image, "ghcr.io/ggml-org/llama.cpp:server");
  assert.deepEqual(args.slice(-5), ["--metrics", "--alias", "$(SERVED_MODEL_NAME)", "--ctx-size", "2048"]);
  assert.deepEqual(
    back.ledger.filter(({ outcome }) => outcome === "restored").map(({ at }) => at),
    ["ServingRuntime spec.engineConfig.runner.image", "ServingRuntime spec.engineConfig.runner.args"],
  );
});

test("what an annotation sets, has no place for, or gets wrong is in the account", () => {
  const [model, service] = parse(twoNamespaces.llmkube ?? "") as [AnyObject, AnyObject];
  const account = (text: string): string[] => {
    const metadata = { ...service.metadata, annotations: { "trivium.dev/kept-aim": text } };
    const converted = convertServices([model, { ...service, metadata } as AnyObject], {
      from: dialectOf("llmkube"),
      to: dialectOf("aim"),
    });
    if (converted.is !== "converted") assert.fail(converted.why);
    const place = "metadata.annotations['trivium.dev/kept-aim']";
    return converted.ledger
      .filter(({ field = "" }) => field.startsWith(place))
      .map(
        ({ outcome, field = "", at }) => `${outcome}${field.slice(place.length)}${at === undefined ? "" : ` -> ${at}`}`,
      );
  };
  const forged = [
    { kind: "AIMService", path: ["spec", "serviceAccountName"], value: "admin" },
    { kind: "AIMService", path: ["spec", "nonsense"], value: 1 },
    { kind: "AIMService", path: ["metadata", "finalizers"], value: ["example.com/a"] },
  ];
  assert.deepEqual(account(JSON.stringify(forged)), [
    "restored spec.serviceAccountName -> AIMService spec.serviceAccountName",
    "kept spec.nonsense -> metadata.annotations['trivium.dev/kept-aim']",
    "none",
  ]);
  for (const text of ["", "{}", "7", "[7]"]) assert.deepEqual(account(text), ["none"], text);
});
