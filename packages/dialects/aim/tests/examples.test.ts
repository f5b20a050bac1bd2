import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Cluster, startCluster } from "@trivium/testkit";
import { aim } from "../src/index.ts";
import { applyExample, readExamples } from "./examples.ts";

const folder = join(import.meta.dirname, "../../../../examples/aim");

describe("examples on the embedded server", () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster([...aim.kinds]);
  });
  after(() => cluster.close());

  for (const example of readExamples())
    test(`${example.path} is applied under strict validation`, () => applyExample(cluster.client, example));
});

test("the table of the examples names every file, and no other", () => {
  const page = readFileSync(join(folder, "README.md"), "utf8");
  const named = [...page.matchAll(/\]\(([a-z0-9-]+\.yaml)\)/g)].map(([, name = ""]) => name);
  assert.deepEqual(
    [...new Set(named)].filter((name) => !existsSync(join(folder, name))),
    [],
  );
  const files = readExamples().map(({ path }) => path.split("/").at(-1) ?? "");
  assert.deepEqual(
    files.filter((name) => !named.includes(name)),
    [],
  );
});

test("of the whole folder, no service by image has several models to choose from", () => {
  const objects = readExamples().flatMap((example) => example.objects);
  const specOf = ({ spec }: object & { spec?: unknown }) =>
    (spec ?? {}) as { image?: string; model?: { image?: string } };
  const models = objects.filter(({ kind }) => /^AIM(Cluster)?(Model|Image)$/.test(kind));
  const images = models.flatMap((model) => specOf(model).image ?? []);
  const wanted = objects.filter(({ kind }) => kind === "AIMService").flatMap((one) => specOf(one).model?.image ?? []);
  assert.ok(wanted.length > 0);
  assert.deepEqual(
    wanted.filter((image) => images.filter((each) => each === image).length > 1),
    [],
  );
});
