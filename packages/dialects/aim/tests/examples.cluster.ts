import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { CustomResourceDefinition, emitCrd, type KubeClient } from "@trivium/kube";
import { AIMServiceTemplate, AIMTemplateCache, aim } from "../src/index.ts";
import { applyExample, readExamples } from "./examples.ts";

const kubeconfig = process.env.KUBECONFIG_UNDER_TEST;
assert.ok(kubeconfig, "set KUBECONFIG_UNDER_TEST, or run scripts/test-cluster.ts, which does");

describe("examples on a real server", () => {
  let transport: HttpTransport;
  let client: KubeClient;

  before(async () => {
    transport = httpTransport(await loadKubeconfig(kubeconfig));
    client = createClient(transport);
    for (const kind of aim.kinds)
      await client.apply(CustomResourceDefinition, emitCrd(kind), { fieldManager: "examples", force: true });
    const served = async () => (await client.discover()).filter(({ group }) => group === aim.group).length;
    while ((await served()) < aim.kinds.length) await sleep(100);
  });

  after(() => transport?.close());

  for (const example of readExamples())
    test(`${example.path} is applied under strict validation`, () => applyExample(client, example));

  test("kubectl get shows a reference under any of its field names", async () => {
    const metadata = { name: "older-words", namespace: "default" };
    const template = { apiVersion: "aim.silogen.ai/v1alpha1", kind: "AIMServiceTemplate", metadata };
    await client.create(AIMServiceTemplate, { ...template, spec: { aimImageName: "the-model" } });
    const cache = { ...template, kind: "AIMTemplateCache", spec: { templateName: "the-template" } };
    await client.create(AIMTemplateCache, cache);
    const get = ["--kubeconfig", kubeconfig, "get", "aimservicetemplates,aimtemplatecaches", "-n", "default"];
    const { stdout } = await promisify(execFile)("kubectl", get);
    await client.delete(AIMServiceTemplate, metadata);
    await client.delete(AIMTemplateCache, metadata);
    assert.match(stdout, /STATUS +MODEL.*older-words +the-model/s);
    assert.match(stdout, /TEMPLATE +STATUS.*older-words +the-template/s);
  });
});
