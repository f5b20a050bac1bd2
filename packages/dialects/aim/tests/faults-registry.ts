import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { isServed, logOnce } from "@trivium/domain";
import { Event, type Kind, Namespace, Node, Secret } from "@trivium/kube";
import { registryAnswers } from "@trivium/probes";
import { type Answered, answer } from "@trivium/reconcile";
import { startCluster, startWorld } from "@trivium/testkit";
import { AIMClusterModel, AIMModel, AIMServiceTemplate, aim, createAim } from "../src/index.ts";
import { AIMClusterModelSource } from "../src/kinds/cluster-model-source.ts";
import { type Mood, MoodyRegistry } from "./moody-registry.ts";

const apiVersion = "aim.silogen.ai/v1alpha1";
const namespace = "team-a";
const minute = 60_000;
const password = "wb7-Kestrel-93";

const recommending = (...gpuModels: string[]) => ({
  "com.amd.aim.model.recommendedDeployments": JSON.stringify(gpuModels.map((gpuModel) => ({ gpuModel, gpuCount: 1 }))),
});

/** A world with a real registry over HTTP, asked by the real probes. Models have the name of their repository. */
async function stage(t: TestContext) {
  const cluster = await startCluster([...aim.kinds]);
  const { client, clock } = cluster;
  const registry = await new MoodyRegistry(() => clock.now()).listen();
  t.after(() => registry.close());
  // One that is asked too often is left alone altogether, so it has an address of its own.
  const busy = await new MoodyRegistry(() => clock.now()).listen();
  t.after(() => busy.close());
  const registryOf = (name: string): MoodyRegistry => (name === "asked-too-much" ? busy : registry);
  /** Calls that will end by themselves. */
  const calls = new Set<Promise<unknown>>();
  const watched = ({ query, answer: find }: Answered): Answered => ({
    query,
    answer(args, context) {
      const call = find(args, context);
      const { repository = "" } = args as { repository?: string };
      if (registryOf(repository).moods.get(repository)?.is === "silent") return call;
      calls.add(call);
      call.catch(() => {}).finally(() => calls.delete(call));
      return call;
    },
  });
  const answers = [
    ...registryAnswers({ client, environment: {}, addresses: "any", now: () => clock.now() }).map(watched),
    answer(isServed, async () => false),
    answer(logOnce, async () => ""),
  ] as Answered[];
  const logged: string[] = [];
  const line = (fields: object, text: string) => void logged.push(`${text} ${JSON.stringify(fields)}`);
  const log = { debug: line, info: line, warn: line, error: line };
  const open = () => startWorld({ cluster, reconcilers: createAim().reconcilers, answers, log });
  let world = await open();
  t.after(() => world.stop());
  /** Another operator, which remembers nothing. */
  const restart = async (): Promise<void> => {
    await world.stop();
    world = await open();
  };
  /** What the operator wrote since this was last asked. */
  const written = (): string[] => world.writes.splice(0);
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const labels = { "amd.com/gpu.device-id": "74a1" };
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels } });

  const model = (name: string) => client.get(AIMModel, { namespace, name });
  const templatesOf = async (name: string) =>
    (await client.list(AIMServiceTemplate, { namespace })).items.filter(({ spec }) => spec.modelName === name);
  const apply = (name: string, spec: object = {}) =>
    client.create(AIMModel, {
      apiVersion,
      kind: "AIMModel",
      metadata: { name, namespace },
      spec: { image: `${registryOf(name).host}/${name}:1.0`, ...spec },
    });
  /** The registry takes real time, the world's own stands still meanwhile. */
  const rest = async (): Promise<void> => {
    do {
      await Promise.allSettled(calls);
      await world.settle();
    } while (calls.size > 0);
  };
  const reach = async (name: string, state: string): Promise<void> => {
    await rest();
    const found = await model(name);
    assert.equal(stateOf(found), state, `${name}: ${wordsOf(found)}`);
  };
  const live = (time: number): Promise<void> => clock.advance(time, rest);
  return { client, registry, registryOf, model, templatesOf, apply, reach, rest, live, restart, written, logged };
}

type Stage = Awaited<ReturnType<typeof stage>>;
type Model = Awaited<ReturnType<Stage["model"]>>;

const conditionOf = ({ status }: Model, type: string) => status?.conditions?.find((one) => one.type === type);
const wordsOf = (model: Model, type = "Ready"): string => conditionOf(model, type)?.message ?? "";

/** The state and every cause that is told: a second one beside the root would show. */
function stateOf(model: Model): string {
  const reported = [conditionOf(model, "Ready"), conditionOf(model, "MetadataExtracted")].flatMap((one) =>
    one?.status === "False" ? [one.reason] : [],
  );
  const failure = conditionOf(model, "Failure");
  const all = new Set([...reported, ...(failure?.status === "True" ? [failure.reason] : [])]);
  return [model.status?.status, ...all].join(" ");
}

const well = "Progressing TemplatesProgressing";

interface Misbehaviour {
  readonly mood: Mood;
  readonly state: string;
  readonly words: RegExp;
  /** Whether it is no answer, which takes nothing away that was known. */
  readonly isSilence?: true;
}

const status = (status: number, headers = {}): Mood => ({ is: "status", status, headers });
const garbage = (text: string): Mood => ({ is: "garbage", text });
const silence = (mood: Mood, words: RegExp): Misbehaviour => ({
  mood,
  words,
  state: "Degraded MetadataExtractionFailed",
  isSilence: true,
});
const unreadable = { state: "Degraded MetadataExtractionFailed", words: /contains no configuration/ };

const misbehaviours: Readonly<Record<string, Misbehaviour>> = {
  "broken-inside": silence(status(500), /the server responded with 500/),
  "asked-too-much": silence(
    status(429, { "retry-after": "120" }),
    /limits the request rate; retrying automatically after the wait it requests/,
  ),
  "somebody-elses-page": silence(garbage("<html>Welcome to our Wi-Fi</html>"), /not a JSON object/),
  "ends-early": silence(garbage('{"schemaVersion":2,"config":{"dig'), /not a JSON object/),
  "says-null": silence(garbage("null"), /not a JSON object/),
  "hangs-up": silence(
    { is: "rude" },
    /is not available: .*; check that the operator can reach the registry; retrying automatically/,
  ),
  "never-answers": silence({ is: "silent" }, /is not available: .*30 ?s; .*retrying automatically/),
  "wants-a-login": { mood: status(401), state: "Degraded ImagePullAuthFailure", words: /imagePullSecrets/ },
  "lets-nobody-in": { mood: status(403), state: "Degraded ImagePullAuthFailure", words: /imagePullSecrets/ },
  "has-nothing": { mood: status(404), state: "Failed ImageNotFound", words: /; correct spec.image$/ },
  "sends-a-list": { mood: garbage("[1,2]"), ...unreadable },
  "points-elsewhere": { mood: garbage('{"config":{"digest":"../../../etc/passwd","size":1}}'), ...unreadable },
  "has-strange-parts": {
    mood: garbage('{"manifests":[null,7,{"digest":5}]}'),
    state: "Failed ImageNotFound",
    words: /linux\/amd64/,
  },
};

describe("a registry that misbehaves", () => {
  test("each failure has one cause in the status, causes no writes while it lasts, and recovers", async (t) => {
    const { registryOf, apply, model, reach, rest, live, restart, written } = await stage(t);
    for (const [name, { mood }] of Object.entries(misbehaviours)) {
      registryOf(name).push(name, "1.0", recommending("MI300X"));
      registryOf(name).moods.set(name, mood);
      await apply(name);
    }
    await reach("never-answers", "Progressing DiscoveryInProgress");
    await live(62_000);
    for (const [name, { state, words }] of Object.entries(misbehaviours)) {
      await reach(name, state);
      assert.match(wordsOf(await model(name)), words, name);
    }
    written();
    await live(16 * minute);
    assert.deepEqual(written(), []);
    await restart();
    await rest();
    await live(62_000);
    assert.deepEqual(written(), [], "another operator finds everything as it was told");
    for (const name of Object.keys(misbehaviours)) registryOf(name).moods.clear();
    await live(11 * minute);
    for (const name of Object.keys(misbehaviours)) await reach(name, well);
    const asked = registryOf("asked-too-much").asked.get("asked-too-much") ?? [];
    const gaps = asked.slice(1, -3).map((at, i) => at - (asked[i] ?? 0));
    assert.ok(gaps.length > 1 && gaps.every((gap) => gap >= 120_000), `asked again after ${gaps.join(", ")} ms`);
  });

  test("discovery results are kept through all failures, and no template is created or deleted", async (t) => {
    const { registryOf, apply, model, templatesOf, reach, live } = await stage(t);
    const before = new Map<string, string>();
    for (const name of Object.keys(misbehaviours)) {
      registryOf(name).push(name, "1.0", recommending("MI300X"));
      await apply(name);
    }
    for (const [name, { mood }] of Object.entries(misbehaviours)) {
      await reach(name, well);
      before.set(name, (await templatesOf(name))[0]?.metadata.uid ?? "");
      registryOf(name).moods.set(name, mood);
    }
    await live(12 * minute);
    for (const [name, { isSilence, state }] of Object.entries(misbehaviours)) {
      await reach(name, isSilence ? well : state);
      const uids = (await templatesOf(name)).map(({ metadata }) => metadata.uid);
      assert.deepEqual(uids, [before.get(name)], name);
      assert.equal((await model(name)).status?.imageMetadata?.model?.recommendedDeployments?.length, 1, name);
    }
    for (const name of Object.keys(misbehaviours)) {
      registryOf(name).push(name, "1.0", recommending("MI300X", "MI250X"));
      registryOf(name).moods.clear();
    }
    await live(11 * minute);
    for (const name of Object.keys(misbehaviours)) assert.equal((await templatesOf(name)).length, 2, name);
  });

  test("invalid labels are reported, and no template is created until they are valid", async (t) => {
    const { registry, apply, model, reach, live, templatesOf } = await stage(t);
    const labels = ['[{"gpuModel":', "yes", '{"a":1', "[1]", '[{"gpuModel":"MI300X"},null]', "\u0000"];
    for (const [i, broken] of labels.entries()) {
      registry.push(`labels-${i}`, "1.0", {
        "com.amd.aim.model.recommendedDeployments": broken,
        other: { no: "text" },
      });
      await apply(`labels-${i}`);
    }
    for (const i of labels.keys()) {
      await reach(`labels-${i}`, "Ready MetadataFormatError");
      assert.match(wordsOf(await model(`labels-${i}`), "MetadataExtracted"), /not a JSON list of objects/);
      assert.equal((await templatesOf(`labels-${i}`)).length, 0);
      registry.push(`labels-${i}`, "1.0", recommending("MI300X"));
    }
    await live(11 * minute);
    for (const i of labels.keys()) await reach(`labels-${i}`, well);
  });

  test("a source reports why it cannot search, deletes no model, and finds missed images later", async (t) => {
    const { registryOf, client, live, rest, restart, written } = await stage(t);
    const names = [
      "broken-inside",
      "asked-too-much",
      "somebody-elses-page",
      "never-answers",
      "has-nothing",
      "points-elsewhere",
    ];
    for (const name of names) {
      registryOf(name).push(name, "1.0.0", recommending("MI300X"));
      const filters = [{ image: name, versions: [">=1.0.0"] }];
      const spec = { registry: registryOf(name).host, filters, syncInterval: "5m" };
      await client.create(AIMClusterModelSource, {
        apiVersion,
        kind: "AIMClusterModelSource",
        metadata: { name },
        spec,
      });
    }
    const sourceOf = async (name: string) => {
      const { status } = await client.get(AIMClusterModelSource, { name });
      return [status?.status, status?.conditions?.find(({ type }) => type === "Ready")?.reason].join(" ");
    };
    const images = async () => (await client.list(AIMClusterModel)).items.length;
    await rest();
    assert.equal(await images(), names.length);
    for (const name of names) {
      assert.equal(await sourceOf(name), "Ready AllFiltersSucceeded", name);
      registryOf(name).push(name, "1.1.0", recommending("MI300X"));
      registryOf(name).moods.set(name, misbehaviours[name]?.mood ?? { is: "well" });
    }
    await live(12 * minute);
    for (const name of names) assert.equal(await sourceOf(name), "Failed AllFiltersFailed", name);
    assert.equal(await images(), names.length);
    written();
    await live(6 * minute);
    assert.deepEqual(written(), []);
    await restart();
    await live(3 * minute);
    assert.deepEqual(written(), [], "another operator finds everything as it was told");
    for (const name of names) registryOf(name).moods.clear();
    await live(11 * minute);
    for (const name of names) assert.equal(await sourceOf(name), "Ready AllFiltersSucceeded", name);
    assert.equal(await images(), 2 * names.length);
  });

  test("a Secret that is deleted and recreated is reported, then used, and its content never shown", async (t) => {
    const { registry, apply, client, reach, live, templatesOf, model, logged, written } = await stage(t);
    registry.push("foo", "1.0", recommending("MI300X"));
    registry.login = `robot:${password}`;
    const config = JSON.stringify({ auths: { [registry.host]: { auth: btoa(registry.login) } } });
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "login", namespace },
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": btoa(config) },
    } as const;
    await client.create(Secret, secret);
    await apply("foo", { imagePullSecrets: [{ name: "login" }] });
    await reach("foo", well);
    const [before] = await templatesOf("foo");
    // A Secret that exists is read again every minute, a missing one every 5 s.
    await client.delete(Secret, { namespace, name: "login" });
    await live(minute);
    await reach("foo", "Failed SecretNotFound");
    assert.match(wordsOf(await model("foo")), /Secret login not found; create it/);
    written();
    await live(11 * minute);
    assert.deepEqual(written(), []);
    assert.equal((await templatesOf("foo"))[0]?.metadata.uid, before?.metadata.uid);
    // One with another password is refused, by its own name.
    const wrong = JSON.stringify({ auths: { [registry.host]: { auth: btoa("robot:wrong") } } });
    await client.create(Secret, { ...secret, data: { ".dockerconfigjson": btoa(wrong) } });
    await live(5_000);
    await reach("foo", "Degraded ImagePullAuthFailure");
    await client.patch(Secret, { namespace, name: "login" }, { type: "merge", body: { data: secret.data } });
    await live(minute);
    await reach("foo", well);
    const objects = await Promise.all(aim.kinds.map(async (kind) => (await client.list(kind as Kind)).items));
    const reported = JSON.stringify([objects, (await client.list(Event, { namespace })).items, logged]);
    for (const form of [password, btoa(registry.login), btoa("robot:wrong"), secret.data[".dockerconfigjson"]])
      assert.ok(!reported.includes(form), "a password is told");
  });
});
