import assert from "node:assert/strict";
import { before, it } from "node:test";
import { configMap, documents, widget } from "../manifests.ts";
import type { Scenario } from "../scenario.ts";

/** All the ways to look at objects. */
export const reading: Scenario = (stage) => {
  before(async () => {
    const { kubectl } = stage();
    await kubectl.given(
      documents(
        widget("big", { size: 9, note: "blue" }, { labels: { shelf: "top" } }),
        widget("small", { size: 1 }, { labels: { shelf: "low" } }),
        widget("tiny", { size: 2 }, { labels: { shelf: "low" } }),
        configMap("plain", { key: "value", other: "line one\nline two\n" }),
      ),
    ).ok`create -f -`;
  });

  it("tables", async () => {
    const { kubectl } = stage();
    assert.match(
      await kubectl.ok`get widgets`,
      /^NAME +SIZE +PHASE +AGE\nbig +9 +\d+s\nsmall +1 +\d+s\ntiny +2 +\d+s\n$/,
    );
    assert.match(await kubectl.ok`get wd big -o wide`, /^NAME +SIZE +PHASE +NOTE +AGE\nbig +9 +blue +\d+s\n$/);
    assert.match(await kubectl.ok`get wd --show-labels --no-headers`, /^big .* shelf=top$/m);
    assert.match(await kubectl.ok`get wd -L shelf`, /^NAME +SIZE +PHASE +AGE +SHELF\n/);
    assert.match(await kubectl.ok`get cm plain`, /^NAME +DATA +AGE\nplain +2 +\d+s\n$/);
    assert.match(
      await kubectl.ok`get toys,cm`,
      /^NAME +SIZE[\s\S]*widget\.kubectl\.example\.dev\/big[\s\S]*configmap\/plain/,
    );
    assert.match(await kubectl.ok`get all`, /widget\.kubectl\.example\.dev\/tiny/);
    assert.match(
      await kubectl.ok`get wd -A`,
      new RegExp(`^NAMESPACE +NAME +SIZE(.|\\n)*\\n${kubectl.namespace} +big `),
    );
    assert.match(await kubectl.ok`get ns ${kubectl.namespace}`, /^NAME +STATUS +AGE\n\S+ +Active +\d+s\n$/);
    assert.match(await kubectl.ok`get crd widgets.kubectl.example.dev`, /^NAME +CREATED AT\nwidgets\S+ +\d{4}-/);
  });

  it("machine forms", async () => {
    const { kubectl } = stage();
    assert.equal(
      await kubectl.ok`get wd -o name`,
      "widget.kubectl.example.dev/big\nwidget.kubectl.example.dev/small\nwidget.kubectl.example.dev/tiny\n",
    );
    const object = JSON.parse(await kubectl.ok`get wd big -o json`);
    assert.deepEqual(object.spec, { note: "blue", replicas: 1, size: 9 });
    assert.equal(object.metadata.generation, 1);
    assert.equal(object.metadata.managedFields, undefined);
    assert.match(
      await kubectl.ok`get wd small -o yaml`,
      /^apiVersion: kubectl\.example\.dev\/v1alpha1\nkind: Widget\nmetadata:\n/,
    );
    assert.match(
      await kubectl.ok`get wd small -o yaml --show-managed-fields`,
      /f:spec:\n {8}.: \{\}\n {8}f:note: \{\}\n {8}f:replicas: \{\}\n {8}f:size: \{\}\n {4}manager: kubectl-create\n/,
    );
    const range = "{range .items[*]}{.metadata.name}={.spec.size}{'\\n'}{end}";
    assert.equal(await kubectl.ok`get wd -o jsonpath=${range}`, "big=9\nsmall=1\ntiny=2\n");
    assert.equal(await kubectl.ok`get wd big -o jsonpath={.spec.note}`, "blue");
    assert.equal(
      await kubectl.ok`get wd -o custom-columns=N:.metadata.name,S:.spec.size --no-headers`.then((text) =>
        text.replace(/ +/g, " "),
      ),
      "big 9\nsmall 1\ntiny 2\n",
    );
    assert.equal(await kubectl.ok`get cm plain -o go-template=${"{{.data.key}}"}`, "value");
  });

  it("selectors, order and pages", async () => {
    const { kubectl } = stage();
    assert.equal(
      await kubectl.ok`get wd -l shelf=low -o name`,
      "widget.kubectl.example.dev/small\nwidget.kubectl.example.dev/tiny\n",
    );
    assert.equal(await kubectl.ok`get wd -l ${"shelf notin (low)"} -o name`, "widget.kubectl.example.dev/big\n");
    assert.equal(
      await kubectl.ok`get wd --field-selector metadata.name=tiny -o name`,
      "widget.kubectl.example.dev/tiny\n",
    );
    assert.match(await kubectl.fails`get wd --field-selector spec.size=1`, /field label not supported: spec\.size/);
    const sorted = await kubectl.ok`get wd --sort-by=.spec.size -o jsonpath={.items[*].metadata.name}`;
    assert.equal(sorted, "small tiny big");
    assert.equal((await kubectl.ok`get wd --chunk-size=1 -o name`).split("\n").length, 4);
    const nothing = await kubectl.both`get wd -l shelf=none`;
    assert.match(nothing.stderr, /No resources found in \S+ namespace\./);
  });

  it("what is not there", async () => {
    const { kubectl } = stage();
    assert.equal(
      await kubectl.fails`get wd nope`,
      'Error from server (NotFound): widgets.kubectl.example.dev "nope" not found\n',
    );
    assert.equal(await kubectl.ok`get wd nope --ignore-not-found`, "");
    assert.match(
      await kubectl.fails`get cm a/b`,
      /there is no need to specify a resource type as a separate argument|not found/,
    );
    assert.match(await kubectl.fails`logs nopod`, /\(NotFound\): pods "nopod" not found/);
  });

  it("describe", async () => {
    const { kubectl } = stage();
    const text = await kubectl.ok`describe wd big`;
    assert.match(text, /^Name: +big\nNamespace: +\S+\nLabels: +shelf=top\n/);
    assert.match(text, /Spec:\n {2}Note: +blue\n {2}Replicas: +1\n {2}Size: +9\n/);
    assert.match(await kubectl.ok`describe cm plain`, /key:\n----\nvalue\n/);
  });

  it("get -w sees what happens, bookmarks and all", async () => {
    const { kubectl } = stage();
    await using watch = kubectl.start`get wd --watch --output-watch-events -o jsonpath=${"{.type} {.object.metadata.name}\n"} -l shelf=window`;
    await using table = kubectl.start`get wd -w -l shelf=window`;
    const observed = widget("seen", { size: 3 }, { labels: { shelf: "window" } });
    await kubectl.given(observed).ok`create -f -`;
    await watch.until(/ADDED seen/);
    await kubectl.ok`label wd seen more=yes`;
    await watch.until(/MODIFIED seen/);
    await kubectl.ok`label wd seen shelf-`;
    await watch.until(/DELETED seen/);
    await table.until(/NAME +SIZE[\s\S]*seen +3[\s\S]*seen +3/);
    await kubectl.ok`delete wd seen`;
  });
};
