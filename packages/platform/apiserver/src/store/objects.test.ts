import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "./entry.ts";
import { Objects } from "./objects.ts";

function entry(path: string, owners: string[] = [], revision = 1): Entry {
  const [namespace = "", name = ""] = path.split("/");
  const key = { resource: "pods", namespace, name };
  return { key, revision, uid: `uid of ${path}`, labels: undefined, text: "{}", owners };
}

function objectsOf(...paths: string[]): Objects {
  const objects = new Objects();
  for (const path of paths) objects.put(entry(path));
  return objects;
}

function paths(entries: Iterable<Entry>): string[] {
  return Array.from(entries, ({ key }) => `${key.namespace}/${key.name}`);
}

test("objects are listed by path, as etcd lists them", () => {
  const objects = objectsOf("team/b", "team-a/z", "/root", "team/a", "team/a.b", "team/a-b");
  assert.deepEqual(paths(objects.list("pods")), ["/root", "team-a/z", "team/a", "team/a-b", "team/a.b", "team/b"]);
  assert.deepEqual(paths(objects.list("pods", { namespace: "team" })), ["team/a", "team/a-b", "team/a.b", "team/b"]);
  assert.deepEqual(paths(objects.list("pods", { namespace: "none" })), []);
  assert.deepEqual(paths(objects.list("nodes")), []);
});

test("the order holds for objects that come after the first list", () => {
  const objects = objectsOf("a/m");
  assert.deepEqual(paths(objects.list("pods")), ["a/m"]);
  for (const path of ["a/z", "a/a", "0/x"]) objects.put(entry(path));
  objects.remove(entry("a/m").key);
  assert.deepEqual(paths(objects.list("pods")), ["0/x", "a/a", "a/z"]);
});

test("a list resumes behind any key, whether that object is still there or not", () => {
  const objects = objectsOf("a/1", "a/3", "b/1", "c/1");
  const after = (namespace: string, name: string) => paths(objects.list("pods", { after: { namespace, name } }));
  assert.deepEqual(after("a", "1"), ["a/3", "b/1", "c/1"]);
  assert.deepEqual(after("a", "2"), ["a/3", "b/1", "c/1"]);
  assert.deepEqual(after("aa", "x"), ["b/1", "c/1"]);
  assert.deepEqual(after("c", "1"), []);
  assert.deepEqual(after("", ""), ["a/1", "a/3", "b/1", "c/1"]);
  assert.deepEqual(paths(objects.list("pods", { namespace: "a", after: { namespace: "a", name: "1" } })), ["a/3"]);
  assert.deepEqual(paths(objects.list("pods", { namespace: "a", after: { namespace: "b", name: "1" } })), []);
});

test("a reader that holds a list while objects come and go skips and repeats nothing that stayed", () => {
  const objects = objectsOf("a/1", "a/2", "a/3", "a/4", "b/1");
  const observed: string[] = [];
  for (const one of objects.list("pods")) {
    observed.push(one.key.name);
    if (one.key.name === "2") {
      for (const name of ["1", "2", "3"]) objects.remove(entry(`a/${name}`).key);
      objects.put(entry("a/35"));
    }
  }
  assert.deepEqual(observed, ["1", "2", "35", "4", "1"]);
});

test("a namespace that empties during a list ends quietly", () => {
  const objects = objectsOf("a/1", "b/1", "c/1");
  const observed: string[] = [];
  for (const { key } of objects.list("pods")) {
    observed.push(key.namespace);
    objects.remove(key);
  }
  assert.deepEqual(observed, ["a", "b", "c"]);
  assert.equal(objects.count("pods"), 0);
});

test("owners are found until the object changes hands or goes", () => {
  const objects = objectsOf("a/0");
  objects.put(entry("a/1", ["x", "y"]));
  objects.put(entry("b/1", ["x"]));
  assert.deepEqual(paths(objects.ownedBy("x")), ["a/1", "b/1"]);
  objects.put(entry("a/1", ["y", "z"], 2));
  assert.deepEqual(paths(objects.ownedBy("x")), ["b/1"]);
  assert.deepEqual(
    objects.ownedBy("z").map(({ revision }) => revision),
    [2],
  );
  objects.remove(entry("b/1").key);
  assert.deepEqual(objects.ownedBy("x"), []);
  assert.deepEqual(paths(objects.ownedBy("y")), ["a/1"]);
});

test("names that are property names of every object are plain names", () => {
  const objects = objectsOf("__proto__/constructor", "constructor/__proto__");
  assert.deepEqual(paths(objects.list("pods")), ["__proto__/constructor", "constructor/__proto__"]);
  assert.deepEqual(objects.ownedBy("__proto__"), []);
  assert.equal(objects.get({ resource: "toString", namespace: "", name: "valueOf" }), undefined);
});
