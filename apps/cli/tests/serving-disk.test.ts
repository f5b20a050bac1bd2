import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { dialects } from "@trivium/local";
import { HubServer } from "@trivium/testkit";
import { Machine, missingKubectl, until } from "./serving/machine.ts";

const demo = readFileSync(join(import.meta.dirname, "../../../examples/models/demo/demo.gguf"));
const skip = await missingKubectl();

describe("the disk after models were deleted", { skip }, () => {
  const machine = new Machine();
  let hub: HubServer;

  before(async () => {
    hub = await new HubServer().listen();
    hub.files.set("demo-Q8_0.gguf", { content: demo, isLarge: true });
    writeFileSync(join(machine.home, "trivium.yaml"), "keepWeights: 1s\n");
    await machine.up({ HF_ENDPOINT: hub.endpoint });
  });
  after(async () => {
    hub.resume();
    await machine.remove();
    await hub.close();
  });

  const phaseOf = async (name: string): Promise<string> =>
    (
      await machine.get<{ status?: { phase?: string } }>(
        `/apis/inference.llmkube.dev/v1alpha1/namespaces/default/inferenceservices/${name}`,
      )
    ).status?.phase ?? "";

  async function isAnswered(model: string): Promise<boolean> {
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }], max_tokens: 1 });
    const headers = { "content-type": "application/json" };
    return (await fetch(`${machine.gateway}/v1/chat/completions`, { method: "POST", headers, body })).ok;
  }

  it("two Models with the same weights share them, and their space comes back", async () => {
    await machine.apply(manifest("one", "hf://org/repo"));
    await machine.apply(manifest("two", "hf://org/repo"));
    for (const name of ["one", "two"]) await until(`${name} is ready`, async () => (await phaseOf(name)) === "Ready");
    assert.ok(hub.served < 1.5 * demo.length, `${hub.served} bytes were sent`);
    assert.ok(stored(machine.home) >= demo.length);
    assert.ok(stored(machine.home) < 1.5 * demo.length, `${stored(machine.home)} bytes are stored`);
    await machine.end("SIGINT");
    await machine.up({ HF_ENDPOINT: hub.endpoint });
    assert.match(machine.reported, /^weights +1 downloaded model, 2.9Mi; trivium models ls lists them$/m);
    await machine.kubectl("delete", "inferenceservice,model", "one");
    assert.ok(stored(machine.home) >= demo.length, "the other one has them");
    await machine.kubectl("delete", "inferenceservice,model", "two");
    await until("the weights are deleted", async () => stored(machine.home) < demo.length / 2);
  });

  it("a download that was not finished is deleted too", async () => {
    hub.stopAfter = hub.served + 1024 * 1024;
    await machine.apply(manifest("three", "hf://org/repo"));
    await hub.untilStopped();
    await until("some of it is there", async () => stored(machine.home) > 512 * 1024);
    await machine.kubectl("delete", "inferenceservice,model", "three", "--wait=false");
    await until("nothing is left", async () => stored(machine.home) < 64 * 1024);
  });

  for (const [dialect, kinds] of [
    ["aim", "aimservice"],
    ["ome", "inferenceservice.ome.io,basemodel"],
  ] as const)
    it(`weights of ${dialect} are deleted with what they were downloaded for`, async () => {
      hub.resume();
      const before = stored(machine.home);
      await machine.apply(written(dialect, dialect));
      await until("an answer", () => isAnswered(dialect));
      assert.ok(stored(machine.home) >= before + demo.length);
      await machine.kubectl("delete", kinds, dialect);
      await until("the weights are deleted", async () => stored(machine.home) < before + demo.length / 2);
    });

  it("what one API has downloaded, the others link; the last one to go frees the space", async () => {
    const [sent, before] = [hub.served, stored(machine.home)];
    const kinds = {
      llmkube: "inferenceservice.inference.llmkube.dev,model",
      ome: "inferenceservice.ome.io,basemodel",
      aim: "aimservice",
    };
    for (const dialect of Object.keys(kinds)) {
      await machine.apply(written(dialect, `shared-${dialect}`));
      await until(`an answer of ${dialect}`, () => isAnswered(`shared-${dialect}`));
    }
    assert.ok(hub.served - sent < 1.5 * demo.length, `${hub.served - sent} bytes were sent`);
    // A disk with clones has a file for each, and counts their shared space for each.
    const most = canClone(machine.home) ? 3.5 : 1.5;
    assert.ok(stored(machine.home) - before < most * demo.length, `${stored(machine.home) - before} bytes are stored`);
    const [first, ...more] = Object.entries(kinds);
    for (const [dialect, kind] of more) await machine.kubectl("delete", kind, `shared-${dialect}`);
    assert.ok(await isAnswered(`shared-${first?.[0]}`), "the first one still has them");
    await machine.kubectl("delete", first?.[1] ?? "", `shared-${first?.[0]}`);
    await until("the weights are deleted", async () => stored(machine.home) < before + demo.length / 2);
  });

  it("a whole file in the cache is served without a network, one that is cut is not", async () => {
    hub.failing = Number.POSITIVE_INFINITY;
    const source = "http://127.0.0.1:9/models/demo.gguf";
    const key = createHash("sha256").update(source).digest("hex").slice(0, 16);
    const volumes = join(machine.home, "volumes");
    const claim = readdirSync(volumes).find((name) => name.endsWith("_default_llmkube-model-cache")) ?? "";
    const cached = join(volumes, claim, key);
    mkdirSync(cached);
    writeFileSync(join(cached, "demo.gguf"), demo.subarray(0, demo.length - 1000));
    await machine.apply(manifest("offline", source));
    // The source was asked, and does not answer.
    const hasFailed = async () => /"exitCode": 7\b/.test(await machine.kubectl("get", "pods", "-o", "json"));
    await until("the file that is cut is not taken", hasFailed);
    writeFileSync(join(cached, "demo.gguf"), demo);
    await until("it is ready", async () => (await phaseOf("offline")) === "Ready");
    const models = join(machine.home, "models", "offline-ome");
    mkdirSync(models, { recursive: true });
    writeFileSync(join(models, "demo.gguf"), demo);
    const path = { path: "/mnt/data/models/offline-ome" };
    await machine.apply(written("ome", "offline-ome", path));
    await until("an answer of ome", () => isAnswered("offline-ome"));
    hub.failing = 0;
  });
});

/** As `trivium run --as` writes it. */
function written(dialect: string, name: string, storage: object = {}): string {
  const service = { name, namespace: "default", source: "hf://org/repo", files: ["demo-Q8_0.gguf"], isWhole: true };
  const found = dialects.find((one) => one.name === dialect)?.writeService({ ...service, labels: {} });
  assert.equal(found?.is, "written");
  const objects = found?.is === "written" ? found.objects : [];
  const items = objects.map((object) => {
    const spec = object.spec as { storage?: object } | undefined;
    return spec?.storage === undefined
      ? object
      : { ...object, spec: { ...spec, storage: { ...spec.storage, ...storage } } };
  });
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

const manifest = (name: string, source: string): string => `
apiVersion: inference.llmkube.dev/v1alpha1
kind: Model
metadata: { name: ${name} }
spec: { source: "${source}", format: gguf }
---
apiVersion: inference.llmkube.dev/v1alpha1
kind: InferenceService
metadata: { name: ${name} }
spec: { modelRef: ${name}, replicas: 1 }
`;

function canClone(home: string): boolean {
  const [from, to] = ["clone-from", "clone-to"].map((name) => join(home, name)) as [string, string];
  try {
    writeFileSync(from, demo);
    copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  } finally {
    for (const path of [from, to]) rmSync(path, { force: true });
  }
}

/** Bytes of all volumes and of the models of OME; a file that has several names counts once. */
function stored(home: string): number {
  const seen = new Map<number, number>();
  for (const folder of [join(home, "volumes"), join(home, "models")]) {
    if (!existsSync(folder)) continue;
    for (const name of namesBelow(folder)) {
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      if (found?.isFile()) seen.set(found.ino, found.blocks * 512);
    }
  }
  return [...seen.values()].reduce((sum, each) => sum + each, 0);
}

/** Folders can be deleted while they are read. */
function namesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return existsSync(folder) ? namesBelow(folder) : [];
  }
}
