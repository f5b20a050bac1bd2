import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import type { HttpTransport } from "@trivium/client";
import type { KubeClient } from "@trivium/kube";
import { AIMServiceTemplate } from "../src/index.ts";
import { AIMTemplateCache } from "../src/kinds/template-cache.ts";
import { applyExample, readExamples } from "./examples.ts";
import { connect, kubeconfig } from "./real-server.ts";

describe("examples on a real server", () => {
  let transport: HttpTransport;
  let client: KubeClient;

  before(async () => {
    ({ transport, client } = await connect("examples"));
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
