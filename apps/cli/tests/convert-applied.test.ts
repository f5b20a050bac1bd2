import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { convertServices } from "@trivium/engines";
import {
  type AnyObject,
  apiVersionOf,
  CustomResourceDefinition,
  isReason,
  type Kind,
  type KubeClient,
  Namespace,
} from "@trivium/kube";
import { dialectDefinitions, dialectNames, dialects } from "@trivium/local";
import { until } from "@trivium/testkit";
import { readDocuments } from "../src/facts/documents.ts";
import { type Server, startServer } from "./transcripts/server.ts";

const root = join(import.meta.dirname, "../../..");

describe("what is converted is accepted by the API server, with every field checked", () => {
  let server: Server;
  let transport: HttpTransport;
  let client: KubeClient;
  let kinds: readonly Kind[] = [];

  before(async () => {
    server = await startServer();
    transport = httpTransport(await loadKubeconfig(server.kubeconfig));
    client = createClient(transport);
    for (const definition of dialectDefinitions(dialectNames))
      await client.create(CustomResourceDefinition, definition);
    const wanted = dialects.flatMap((one) => one.kinds).length;
    await until(async () => {
      kinds = await client.discover();
      return kinds.filter(({ group }) => dialects.some((one) => one.group === group)).length >= wanted;
    }, "all kinds are served");
  });

  after(async () => {
    await transport.close();
    await server.close();
  });

  async function dryRun(object: AnyObject): Promise<void> {
    const kind = kinds.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
    assert.ok(kind, `${object.apiVersion} ${object.kind} is served`);
    const { namespace = "default" } = object.metadata;
    if (kind.namespaced && namespace !== "default") await ensureNamespace(namespace);
    const placed = kind.namespaced ? { ...object, metadata: { namespace, ...object.metadata } } : object;
    await client.apply(kind, placed as never, {
      fieldManager: "test",
      force: true,
      dryRun: true,
      fieldValidation: "Strict",
    });
  }

  async function ensureNamespace(name: string): Promise<void> {
    const object: Namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    await client.create(Namespace, object).catch((error: unknown) => {
      if (!isReason(error, "AlreadyExists")) throw error;
    });
  }

  for (const from of dialects)
    for (const file of globSync(`examples/${from.name}/*.yaml`, { cwd: root }).sort())
      test(file, async () => {
        const objects = readDocuments(join(root, file));
        for (const to of dialects.filter((one) => one !== from)) {
          const converted = convertServices(objects, { from, to });
          if (converted.is === "impossible") continue;
          for (const object of converted.objects) await dryRun(object);
          converts.set(`${from.name} to ${to.name}`, (converts.get(`${from.name} to ${to.name}`) ?? 0) + 1);
        }
      });

  const converts = new Map<string, number>();
  test("each API has examples that are converted to each other", () => {
    const all = dialects.flatMap((from) =>
      dialects.filter((to) => to !== from).map((to) => `${from.name} to ${to.name}`),
    );
    assert.deepEqual([...converts.keys()].sort(), all.sort());
  });
});
