import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelSource } from "../../objects.ts";
import { parseFilter, prefixOf, takenTags, takesRepository } from "./filter.ts";
import { inOrder } from "./find-images.ts";

const source = (spec: Partial<ModelSource["spec"]> = {}): ModelSource => ({
  apiVersion: "aim.silogen.ai/v1alpha1",
  kind: "AIMClusterModelSource",
  metadata: { name: "s" },
  spec: { filters: [], ...spec },
});
type Filter = Parameters<typeof parseFilter>[0];
const plan = (filter: Filter, spec?: Partial<ModelSource["spec"]>) => {
  const parsed = parseFilter(filter, source(spec));
  if (parsed.is === "faulty") throw new Error(parsed.why);
  return parsed.plan;
};

test("filters specify where to search", () => {
  const placed = (image: string, spec?: Partial<ModelSource["spec"]>) => {
    const { registry, repository, isPattern, tags } = plan({ image }, spec);
    return [registry, repository, isPattern, tags];
  };
  assert.deepEqual(placed("acme/aim-*"), ["docker.io", "acme/aim-*", true, undefined]);
  assert.deepEqual(placed("acme/aim-*", { registry: "ghcr.io" }), ["ghcr.io", "acme/aim-*", true, undefined]);
  assert.deepEqual(placed("ghcr.io/acme/aim-foo:0.8.1-rc1", { registry: "quay.io" }), [
    "ghcr.io",
    "acme/aim-foo",
    false,
    ["0.8.1-rc1"],
  ]);
  assert.deepEqual(placed("localhost:5000/acme/aim"), ["localhost:5000", "acme/aim", false, undefined]);
  assert.deepEqual(placed("acme/aim", { registry: "https://index.docker.io/" }), [
    "docker.io",
    "acme/aim",
    false,
    undefined,
  ]);
  assert.equal(prefixOf(plan({ image: "acme/aim-*-8b" })), "acme/aim-");
});

test("exact versions need no list; a tag overrides all versions", () => {
  assert.deepEqual(plan({ image: "a/b", versions: ["1.0.0", "v1.1.0"] }).tags, ["1.0.0", "v1.1.0"]);
  assert.equal(plan({ image: "a/b", versions: ["1.0.0", ">=2.0.0"] }).tags, undefined);
  assert.deepEqual(plan({ image: "a/b:latest", versions: [">=1.0.0"] }).tags, ["latest"]);
  assert.deepEqual(takenTags(plan({ image: "a/*", versions: ["1.0.0", "1.1.0"] }), ["1.0.0", "1.1.0", "1.2.0"]), [
    "1.0.0",
    "1.1.0",
  ]);
});

test("repositories excluded by name", () => {
  const filter = plan({ image: "ghcr.io/acme/aim-*", exclude: ["acme/aim-base", "ghcr.io/acme/aim-x"] });
  assert.deepEqual(
    ["acme/aim-foo", "acme/aim-base", "acme/aim-x", "other/aim-foo"].filter((name) => takesRepository(filter, name)),
    ["acme/aim-foo", "acme/aim-x"],
  );
});

test("versions: the list of the filter, else that of the source; all must hold", () => {
  const tags = ["latest", "dev", "0.8.0", "0.8.1-rc1", "0.9.0", "v1.0.0", "1.2.5", "2.0.0"];
  const taken = (filter: Partial<Filter>, versions?: string[]) =>
    takenTags(plan({ image: "a/b", ...filter }, versions === undefined ? {} : { versions }), tags);
  assert.deepEqual(taken({}), tags);
  assert.deepEqual(taken({}, [">=0.8.1-rc1", "<1.0.0"]), ["0.8.1-rc1", "0.9.0"]);
  assert.deepEqual(taken({ versions: ["^1.0.0"] }, ["<1.0.0"]), ["v1.0.0", "1.2.5"]);
  assert.deepEqual(taken({ versions: ["~1.2.0"] }), ["1.2.5"]);
  assert.deepEqual(taken({ versions: [">=0.8.0"] }), ["0.8.0", "0.8.1-rc1", "0.9.0", "v1.0.0", "1.2.5", "2.0.0"]);
});

test("invalid filters are errors and match nothing", () => {
  const bad: Filter[] = [
    { image: "" },
    { image: "a b" },
    { image: "a/b:" },
    { image: "a//b" },
    { image: "https://ghcr.io/a/b" },
    { image: "a/b?x=1" },
    { image: "a/b", versions: ["about 1.0"] },
    { image: "a/b", versions: [">=1.0.0", ""] },
  ];
  for (const filter of bad) assert.equal(parseFilter(filter, source()).is, "faulty", JSON.stringify(filter));
});

test("images are listed once, the newest of each repository first", () => {
  const image = (repository: string, tag: string) => ({ registry: "docker.io", repository, tag });
  const found = [
    image("b", "1.0.0"),
    image("a", "latest"),
    image("a", "1.10.0"),
    image("a", "1.9.0"),
    image("a", "1.9.0"),
  ];
  assert.deepEqual(
    inOrder(found).map(({ repository, tag }) => `${repository}:${tag}`),
    ["a:1.10.0", "a:1.9.0", "a:latest", "b:1.0.0"],
  );
});
