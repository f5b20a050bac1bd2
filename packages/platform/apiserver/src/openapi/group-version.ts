import { createHash } from "node:crypto";
import type { JsonObject } from "@trivium/std";
import type { GroupVersion } from "../discovery/groups.ts";
import { subresourcesOf } from "../discovery/subresources.ts";
import { gitVersion, kubernetesVersion } from "../discovery/version.ts";
import type { Resource } from "../resource.ts";
import { customDefinition } from "./custom.ts";
import { customName, type Definitions, metaNames, ownDefinitions, scaleName, withReferences } from "./definitions.ts";
import { listDefinition } from "./list-definition.ts";
import { pathsOf, type ResourceNames } from "./paths.ts";

/** The built-in definitions with an index of their kinds. */
export interface Catalog {
  readonly definitions: Definitions;
  readonly kinds: ReadonlyMap<string, string>;
}

/** The OpenAPI v3 document of one group version: every schema it needs, and every path with its operations. */
export function groupVersionDocument(of: GroupVersion, catalog: Catalog): string {
  const paths: Record<string, JsonObject> = {};
  const roots = new Set<string>(Object.values(metaNames));
  for (const resource of of.resources) {
    const names = namesOf(resource, catalog);
    Object.assign(paths, pathsOf(resource, names));
    for (const name of [names.object, names.list, ...subresourceNames(resource, names)]) roots.add(name);
  }
  return JSON.stringify({
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: `${kubernetesVersion.major}.${kubernetesVersion.minor}` },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: withReferences(roots, { ...catalog.definitions, ...definitionsOf(of.resources, catalog) }),
      securitySchemes: {
        BearerToken: { type: "apiKey", description: "Bearer token", name: "authorization", in: "header" },
      },
    },
  });
}

/** What the catalog does not have: lists, the kinds of CRDs and our own, and what only operations refer to. */
export function definitionsOf(resources: readonly Resource[], catalog: Catalog): Record<string, JsonObject> {
  const made: Record<string, JsonObject> = { ...ownDefinitions };
  for (const resource of resources) {
    const names = namesOf(resource, catalog);
    if (catalog.definitions[names.object] === undefined) made[names.object] = customDefinition(resource);
    if (resource.verbs.includes("list")) made[names.list] = listDefinition(resource, names.object);
  }
  return made;
}

function namesOf(resource: Resource, catalog: Catalog): ResourceNames {
  const { group, version, kind } = resource;
  const object = catalog.kinds.get(`${group}/${version}/${kind}`) ?? customName(resource, kind);
  return {
    object,
    list: object.slice(0, object.lastIndexOf(".") + 1) + resource.listKind,
    subresource: (of) => {
      if (of.kind === kind) return object;
      return catalog.kinds.get(`${of.group ?? group}/${of.version ?? version}/${of.kind}`);
    },
  };
}

function subresourceNames(resource: Resource, names: ResourceNames): string[] {
  const scale = resource.subresources.scale === undefined ? [] : [scaleName];
  return [...scale, ...subresourcesOf(resource).flatMap((of) => names.subresource(of) ?? [])];
}

/** A hash that changes whenever the document would, without making the document. */
export function fingerprint(of: GroupVersion, catalog: Catalog): string {
  const hash = createHash("sha512").update(gitVersion).update(hashOfCatalog(catalog));
  for (const resource of of.resources) hash.update(hashOfResource(resource, catalog));
  return hash.digest("hex").toUpperCase();
}

const resourceHashes = new WeakMap<Resource, Buffer>();
const catalogHashes = new WeakMap<Catalog, Buffer>();

function hashOfResource(resource: Resource, catalog: Catalog): Buffer {
  const known = resourceHashes.get(resource);
  if (known !== undefined) return known;
  const { kind, listKind, plural, namespaced, verbs, subresources, origin } = resource;
  // What the catalog defines may be cyclic, and is part of its hash.
  const isCatalogued = catalog.definitions[namesOf(resource, catalog).object] !== undefined;
  const schema = isCatalogued ? null : resource.schema;
  const text = JSON.stringify([kind, listKind, plural, namespaced, verbs, subresources, origin, schema]);
  const hash = createHash("sha256").update(text).digest();
  resourceHashes.set(resource, hash);
  return hash;
}

function hashOfCatalog(catalog: Catalog): Buffer {
  const known = catalogHashes.get(catalog);
  if (known !== undefined) return known;
  const hash = createHash("sha256").update(JSON.stringify(catalog.definitions)).digest();
  catalogHashes.set(catalog, hash);
  return hash;
}
