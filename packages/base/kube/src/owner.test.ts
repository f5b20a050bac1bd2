import assert from "node:assert/strict";
import { test } from "node:test";
import { controllerOf, isOwnedBy, ownerReferenceTo } from "./owner.ts";

const owner = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a", uid: "u1" } };

test("a reference makes its owner the controller", () => {
  const reference = ownerReferenceTo(owner);
  assert.deepEqual(reference, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    name: "a",
    uid: "u1",
    controller: true,
    blockOwnerDeletion: true,
  });
  const child = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "b", ownerReferences: [{ ...reference, uid: "u0", controller: false }, reference] },
  };
  assert.equal(controllerOf(child), reference);
  assert.equal(isOwnedBy(child, owner), true);
});

test("an owner of the same name made anew owns nothing", () => {
  const child = { apiVersion: "v1", kind: "Pod", metadata: { name: "b", ownerReferences: [ownerReferenceTo(owner)] } };
  assert.equal(isOwnedBy(child, { ...owner, metadata: { name: "a", uid: "u2" } }), false);
  assert.equal(isOwnedBy(child, { ...owner, metadata: { name: "a" } }), false);
  assert.equal(controllerOf({ ...child, metadata: { name: "b" } }), undefined);
});

test("an object that is not stored cannot own", () => {
  assert.throws(() => ownerReferenceTo({ ...owner, metadata: { name: "a" } }), /Deployment a cannot own objects/);
});
