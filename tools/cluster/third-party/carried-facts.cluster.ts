import assert from "node:assert/strict";
import test from "node:test";
import { gatewayApiCrds } from "@trivium/kube";
import type { Json } from "@trivium/std";
import { carriedKinds, kindOfDefinition, withoutProse } from "./carried-facts.ts";
import { thirdPartyApiDefinitions } from "./definitions.ts";

/** Kinds that we name but whose module carries no CRD that could be had. */
const withoutModule = ["opentelemetrycollectors.opentelemetry.io"];

/**
 * Fields of our types that the module's CRD does not know, so that a cluster refuses them under strict validation. An emitter must not
 * write them.
 */
const claims = ["spec.resourceClaims", "spec.workerSpec.resourceClaims"];
const carriedTooMuch: Readonly<Record<string, readonly string[]>> = {
  "clusterservingruntimes.serving.kserve.io": claims,
  "servingruntimes.serving.kserve.io": claims,
};

/** Kinds whose type is older than the module, and so knows less than a cluster would take. */
const behind = ["virtualservices.networking.istio.io"];

const carried = carriedKinds();
const upstream = new Map(thirdPartyApiDefinitions(console.error).map((crd) => [crd.metadata.name ?? "", crd]));

test("we carry the kinds whose modules we have, and no others", () => {
  assert.deepEqual([...carried.keys()].toSorted(), [...upstream.keys(), ...withoutModule].toSorted());
});

for (const [name, crd] of upstream)
  test(`${name}: names, version, scope and fields are those of the module`, () => {
    const ours = carried.get(name);
    const theirs = kindOfDefinition(crd, ours?.kind.version ?? "");
    assert.ok(ours && theirs, `${ours?.kind.version} is not served`);
    assert.deepEqual(ours.kind, theirs.kind);
    const tooMuch = [...ours.fields].filter((field) => !theirs.fields.has(field));
    assert.deepEqual(tooMuch, carriedTooMuch[name] ?? [], "we know fields that the module does not");
    const tooLittle = [...theirs.fields].filter((field) => !ours.fields.has(field));
    assert.equal(tooLittle.length > 0, behind.includes(name), `fields we do not know: ${tooLittle.join(", ")}`);
  });

test("the definitions that the embedded server registers are those of the modules, word for word but for prose", async () => {
  for (const crd of await gatewayApiCrds()) {
    const theirs = upstream.get(crd.metadata.name ?? "");
    assert.deepEqual(withoutProse(crd.spec as unknown as Json), withoutProse(theirs?.spec as unknown as Json));
  }
});
