import assert from "node:assert/strict";
import { it } from "node:test";
import { configMap, deployment, widget } from "../manifests.ts";
import type { Scenario } from "../scenario.ts";

/** What the server says to objects that are not right. */
export const validating: Scenario = (stage) => {
  it("unknown fields: strict refuses, warn warns, ignore is silent", async () => {
    const { kubectl } = stage();
    const odd = widget("odd", { size: 1, colour: "red" });
    assert.match(
      await kubectl.given(odd).fails`create --validate=strict -f -`,
      /Widget in version "v1alpha1" cannot be handled as a Widget: strict decoding error: unknown field "spec\.colour"/,
    );
    const warned = await kubectl.given(odd).both`create --validate=warn -f -`;
    assert.equal(warned.stderr, 'Warning: unknown field "spec.colour"\n');
    assert.equal(await kubectl.ok`get wd odd -o jsonpath={.spec.colour}`, "");
    const ignored = await kubectl.given(odd).both`apply --validate=ignore -f -`;
    assert.doesNotMatch(ignored.stderr, /unknown field/);
    const typo = deployment("typo", { replica: 3 });
    assert.match(await kubectl.given(typo).fails`apply -f -`, /strict decoding error: unknown field "spec\.replica"/);
  });

  it("a custom resource: every fault with its field", async () => {
    const { kubectl } = stage();
    const faulty = await kubectl.given(widget("bad", { size: 101, color: "blue", note: "x".repeat(41) }))
      .fails`create -f -`;
    assert.match(faulty, /^The Widget "bad" is invalid: \n/);
    assert.match(faulty, /\* spec\.size: Invalid value: 101: spec\.size in body should be less than or equal to 100\n/);
    assert.match(faulty, /\* spec\.color: Unsupported value: "blue": supported values: "red", "green"\n/);
    assert.match(faulty, /\* spec\.note: Too long: may not be more than 40 bytes\n/);
    assert.equal(
      await kubectl.given(widget("bad", {})).fails`create -f -`,
      'The Widget "bad" is invalid: \n* spec.size: Required value\n* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation\n',
    );
    assert.match(
      await kubectl.given(widget("bad", { size: "nine" })).fails`create -f -`,
      /spec\.size: Invalid value: "string": spec\.size in body must be of type integer: "string"/,
    );
  });

  it("rules, and rules about change", async () => {
    const { kubectl } = stage();
    assert.equal(
      await kubectl.given(widget("red", { size: 50, color: "red" })).fails`create -f -`,
      'The Widget "red" is invalid: spec: Invalid value: red toys stay below 50\n',
    );
    await kubectl.given(widget("numbered", { size: 1, serial: "a1" })).ok`apply -f -`;
    assert.match(
      await kubectl.given(widget("numbered", { size: 1, serial: "a2" })).fails`apply -f -`,
      /The Widget "numbered" is invalid: spec\.serial: Invalid value: "(string|a2)": serial is for life/,
    );
  });

  it("a built-in kind", async () => {
    const { kubectl } = stage();
    const faulty = deployment("bad", { replicas: -1, selector: { matchLabels: { app: "other" } } });
    const reported = await kubectl.given(faulty).fails`create -f -`;
    assert.match(reported, /spec\.replicas: Invalid value: -1: must be greater than or equal to 0/);
    assert.match(
      reported,
      /spec\.template\.metadata\.labels: Invalid value: \{"app":"bad"\}: `selector` does not match template `labels`/,
    );
    assert.match(
      await kubectl.given(deployment("bad", { replicas: "two" })).fails`create -f -`,
      /cannot unmarshal string into Go (struct field|value)|json: cannot unmarshal/,
    );
    await kubectl.given(deployment("fixed")).ok`create -f -`;
    assert.match(
      await kubectl.ok`get deploy fixed -o json`.then((text) => {
        const object = JSON.parse(text);
        object.spec.selector.matchLabels = { app: "fixed", more: "x" };
        object.spec.template.metadata.labels = { app: "fixed", more: "x" };
        return kubectl.given(JSON.stringify(object)).fails`replace -f -`;
      }),
      /spec\.selector: Invalid value: .*: field is immutable/,
    );
  });

  it("names, kinds and namespaces", async () => {
    const { kubectl } = stage();
    assert.match(
      await kubectl.given(configMap("Not_A_Name", {})).fails`create -f -`,
      /metadata\.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain must consist of/,
    );
    assert.match(await kubectl.given(configMap("a/b", {})).fails`create -f -`, /metadata\.name: Invalid value: "a\/b"/);
    assert.match(
      await kubectl.given("apiVersion: v1\nkind: Gadget\nmetadata: {name: g}\n").fails`create -f -`,
      /no matches for kind "Gadget" in version "v1"/,
    );
    assert.match(
      await kubectl.given(configMap("lost", {})).fails`create -n nowhere -f -`,
      /\(NotFound\).*namespaces "nowhere" not found/,
    );
    assert.match(await kubectl.given("{ broken").fails`create -f -`, /error (parsing|converting YAML to JSON)|yaml/);
  });

  it("a CRD with a bad schema", async () => {
    const { kubectl } = stage();
    const crd = (schema: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.kubectl.example.dev}
spec:
  group: kubectl.example.dev
  names: {kind: Gizmo, plural: gizmos}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: ${schema}}}]
`;
    const reported = await kubectl.given(crd("{type: object, properties: {spec: {properties: {a: {type: strin}}}}}"))
      .fails`create -f -`;
    assert.match(reported, /The CustomResourceDefinition "gizmos\.kubectl\.example\.dev" is invalid/);
    assert.match(
      reported,
      /spec\.validation\.openAPIV3Schema\.properties\[spec\]\.type: Required value: must not be empty for specified object fields/,
    );
    const rule = "{type: object, x-kubernetes-validations: [{rule: 'self.nope > 1'}]}";
    assert.match(
      await kubectl.given(crd(rule)).fails`create -f -`,
      /x-kubernetes-validations\[0\]\.rule: Invalid value: .*compilation failed/s,
    );
  });
};
