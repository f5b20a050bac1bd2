import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, it } from "node:test";
import { deployment, documents, widget } from "../manifests.ts";
import type { Scenario } from "../scenario.ts";

/** The patches, and commands that are patches underneath. */
export const patching: Scenario = (stage) => {
  before(async () => {
    await stage().kubectl.given(documents(deployment("d"), widget("w", { size: 1, parts: [{ name: "a" }] })))
      .ok`create -f -`;
  });

  it("strategic: lists merge by key", async () => {
    const { kubectl } = stage();
    const sidecar = { spec: { template: { spec: { containers: [{ name: "sidecar", image: "s:1" }] } } } };
    assert.equal(await kubectl.ok`patch deploy d -p ${JSON.stringify(sidecar)}`, "deployment.apps/d patched\n");
    assert.equal(await kubectl.ok`get deploy d -o jsonpath={.spec.template.spec.containers[*].name}`, "sidecar web");
    const removal = { spec: { template: { spec: { containers: [{ name: "sidecar", $patch: "delete" }] } } } };
    await kubectl.ok`patch deploy d --type=strategic -p ${JSON.stringify(removal)}`;
    assert.equal(await kubectl.ok`get deploy d -o jsonpath={.spec.template.spec.containers[*].name}`, "web");
    assert.equal(await kubectl.ok`patch deploy d -p {}`, "deployment.apps/d patched (no change)\n");
  });

  it("merge: lists are replaced, null removes", async () => {
    const { kubectl } = stage();
    const patch = '{"metadata":{"labels":{"new":"label"}},"spec":{"note":null,"parts":[{"name":"z","count":9}]}}';
    assert.equal(await kubectl.ok`patch wd w --type=merge -p ${patch}`, "widget.kubectl.example.dev/w patched\n");
    assert.deepEqual(JSON.parse(await kubectl.ok`get wd w -o jsonpath={.spec}`), {
      note: "plain",
      parts: [{ count: 9, name: "z" }],
      replicas: 1,
      size: 1,
    });
  });

  it("JSON: operations in order, and a failed test changes nothing", async () => {
    const { kubectl } = stage();
    const add =
      '[{"op":"test","path":"/spec/size","value":1},{"op":"replace","path":"/spec/size","value":7},{"op":"add","path":"/metadata/annotations","value":{"by":"json"}}]';
    await kubectl.ok`patch wd w --type=json -p ${add}`;
    assert.equal(await kubectl.ok`get wd w -o jsonpath=${"{.spec.size} {.metadata.annotations.by}"}`, "7 json");
    const wrong = '[{"op":"replace","path":"/spec/size","value":8},{"op":"test","path":"/spec/size","value":1}]';
    assert.match(
      await kubectl.fails`patch wd w --type=json -p ${wrong}`,
      /the server rejected our request due to an error in our request|testing .*\/spec\/size.* failed/,
    );
    const missing = '[{"op":"remove","path":"/spec/nope"}]';
    assert.match(
      await kubectl.fails`patch wd w --type=json -p ${missing}`,
      /rejected our request|doesn't exist|nonexistent/,
    );
    assert.equal(await kubectl.ok`get wd w -o jsonpath={.spec.size}`, "7");
  });

  it("the status alone, and the object without its status", async () => {
    const { kubectl } = stage();
    await kubectl.ok`patch wd w --subresource=status --type=merge -p ${'{"status":{"phase":"Ready"},"spec":{"size":50}}'}`;
    assert.equal(await kubectl.ok`get wd w -o jsonpath=${"{.status.phase} {.spec.size}"}`, "Ready 7");
    await kubectl.ok`patch wd w --type=merge -p ${'{"status":{"phase":"Faked"}}'}`;
    assert.equal(await kubectl.ok`get wd w -o jsonpath={.status.phase}`, "Ready");
    assert.match(await kubectl.ok`get wd w --subresource=status -o yaml`, /phase: Ready/);
  });

  it("a strategic patch of a custom resource is refused by kubectl or server", async () => {
    const { kubectl } = stage();
    assert.match(
      await kubectl.fails`patch wd w --type=strategic -p ${'{"spec":{"size":2}}'}`,
      /strategic merge patch is not supported|UnsupportedMediaType|unknown format|not supported/i,
    );
  });

  it("broken patches", async () => {
    const { kubectl } = stage();
    assert.match(
      await kubectl.fails`patch wd w --type=merge -p ${"{"}`,
      /unable to parse|unexpected end|error parsing/,
    );
    assert.match(
      await kubectl.fails`patch wd w --type=merge -p ${'{"spec":{"size":"many"}}'}`,
      /spec\.size: Invalid value: "string": spec\.size in body must be of type integer: "string"/,
    );
    assert.match(
      await kubectl.fails`patch wd nope --type=merge -p {}`,
      /widgets\.kubectl\.example\.dev "nope" not found/,
    );
  });

  it("label and annotate", async () => {
    const { kubectl } = stage();
    assert.equal(await kubectl.ok`label wd w tier=one`, "widget.kubectl.example.dev/w labeled\n");
    assert.match(
      await kubectl.fails`label wd w tier=two`,
      /'tier' already has a value \(one\), and --overwrite is false/,
    );
    await kubectl.ok`label wd w tier=two --overwrite`;
    assert.equal(await kubectl.ok`get wd w -o jsonpath={.metadata.labels.tier}`, "two");
    assert.equal(await kubectl.ok`label wd w tier-`, "widget.kubectl.example.dev/w unlabeled\n");
    assert.match(await kubectl.fails`label wd w ${"tier=not valid"}`, /invalid label value|a valid label must be/);
    assert.equal(await kubectl.ok`annotate deploy d ${"note=free text"}`, "deployment.apps/d annotated\n");
    assert.equal(await kubectl.ok`annotate deploy d note-`, "deployment.apps/d annotated\n");
    assert.equal(await kubectl.ok`label deploy --all all=yes`, "deployment.apps/d labeled\n");
  });

  it("edit, with an editor that is a script", async () => {
    const { kubectl, folder } = stage();
    const editor = join(folder, "editor.sh");
    await writeFile(editor, '#!/bin/sh\nsed -i "$SED" "$1"\n', { mode: 0o755 });
    const editing = (sed: string) => kubectl.withEnv({ KUBE_EDITOR: editor, SED: sed, TMPDIR: folder });
    assert.equal(await editing("s/size: 7/size: 8/").ok`edit wd w`, "widget.kubectl.example.dev/w edited\n");
    assert.equal(await kubectl.ok`get wd w -o jsonpath={.spec.size}`, "8");
    assert.equal(await editing("s/replicas: 2/replicas: 4/").ok`edit deploy d`, "deployment.apps/d edited\n");
    assert.equal(await kubectl.ok`get deploy d -o jsonpath={.spec.replicas}`, "4");
    const unchanged = await editing("s/nothing/else/").both`edit wd w`;
    assert.match(unchanged.stderr, /Edit cancelled, no changes made/);
    const invalid = await editing("s/size: 8$/size: 800/").outcome`edit wd w`;
    assert.equal(invalid.code, 1, invalid.stderr);
    assert.match(invalid.stderr, /"w" is invalid\n(.*\n)*.*Edit cancelled, no valid changes were saved/);
    assert.equal(await kubectl.ok`get wd w -o jsonpath={.spec.size}`, "8");
  });
};
