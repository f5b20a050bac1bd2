import assert from "node:assert/strict";
import { it } from "node:test";
import { configMap, deployment } from "../manifests.ts";
import type { Scenario } from "../scenario.ts";

/** What a person reads who sends far too much, or something odd; and the server goes on. */
export const hostile: Scenario = (stage) => {
  it("a typo inside a list in a second apply names the field", async () => {
    const { kubectl } = stage();
    await kubectl.given(deployment("typo", {})).ok`apply -f -`;
    const edited = deployment("typo", {}).replaceAll(/^( *)image: /gm, "$1imagePullPolcy: Never\n$1image: ");
    const message = await kubectl.given(edited).fails`apply -f -`;
    assert.match(
      message,
      /strict decoding error: unknown field "spec\.template\.spec\.containers\[0\]\.imagePullPolcy"/,
    );
  });

  it("a warning in any script is shown, and the object is stored", async () => {
    const { kubectl } = stage();
    const odd = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"script"},"größe":1,"模型":2}';
    const { stderr } = await kubectl.given(odd).both`create --validate=warn -f -`;
    assert.equal(stderr, 'Warning: unknown field "größe"\nWarning: unknown field "模型"\n');
    assert.match(await kubectl.ok`get configmap script -o name`, /^configmap\/script$/m);
  });

  it("too many unknown fields, too large annotations, too large objects", async () => {
    const { kubectl } = stage();
    const unknown = Object.fromEntries(Array.from({ length: 15_000 }, (_, at) => [`f${at}`, 1]));
    const many = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "many" }, ...unknown });
    assert.match(await kubectl.given(many).fails`create -f -`, /strict decoding error: unknown field "f0"/);
    const annotated = configMap("annotated", { a: "1" });
    await kubectl.given(annotated).ok`create -f -`;
    const annotation = `big=${"x".repeat(130_000)}`;
    await kubectl.ok`annotate configmap annotated ${annotation}`;
    assert.match(
      await kubectl.fails`annotate configmap annotated ${annotation.replace("big", "one")} ${annotation.replace("big", "two")}`,
      /metadata\.annotations: Too long: may not be more than 262144 bytes/,
    );
    const large = JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "large" },
      data: { a: "x".repeat(4_000_000) },
    });
    assert.match(await kubectl.given(large).fails`create -f -`, /Request entity too large: limit is 3145728/);
    assert.equal(await kubectl.ok`get --raw /readyz`, "ok");
  });
};
