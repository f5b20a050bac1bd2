/**
 * Reads the published CRDs of a release and writes their fields, names and types only:
 *
 *   node scripts/with-toolchain.mjs upstream/extract --dialect ome --release v0.1.5 --from <folder of CRDs>
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Schema } from "@trivium/schema";
import { parseAllDocuments } from "yaml";
import { formatJson } from "../parity/write-facts.ts";
import { factsPath, type KindFacts, type ReleaseFacts } from "./facts.ts";
import { flattenSchema } from "./flatten.ts";

interface PublishedCrd {
  readonly kind?: string;
  readonly spec: {
    readonly group: string;
    readonly scope: KindFacts["scope"];
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly storage: boolean;
      readonly schema: { readonly openAPIV3Schema: Schema };
    }[];
  };
}

/** Facts of every CRD in a list of YAML texts; other objects are skipped. */
export function extractRelease(release: string, texts: readonly string[]): ReleaseFacts {
  const objects = texts.flatMap((text) => parseAllDocuments(text).map((each) => each.toJS() as PublishedCrd | null));
  const kinds = objects
    .filter((each): each is PublishedCrd => each?.kind === "CustomResourceDefinition")
    .map(kindFacts)
    .sort((a, b) => (`${a.group} ${a.kind}` < `${b.group} ${b.kind}` ? -1 : 1));
  if (kinds.length === 0) throw new Error("none of the documents is a CustomResourceDefinition");
  return { release, kinds };
}

function kindFacts({ spec }: PublishedCrd): KindFacts {
  const { group, scope, names, versions } = spec;
  const stored = versions.find(({ storage }) => storage) ?? versions[0];
  if (stored === undefined) throw new Error(`${names.kind} has no version`);
  const fields = flattenSchema(stored.schema.openAPIV3Schema);
  return { group, version: stored.name, kind: names.kind, scope, fields };
}

if (import.meta.main) {
  const options = { dialect: { type: "string" }, release: { type: "string" }, from: { type: "string" } } as const;
  const { dialect, release, from } = parseArgs({ options }).values;
  if (dialect === undefined || release === undefined || from === undefined) {
    throw new Error("name the API, its release and the folder of its CRDs: --dialect, --release, --from");
  }
  const files = readdirSync(from).filter((name) => /\.ya?ml$/.test(name));
  const facts = extractRelease(
    release,
    files.map((name) => readFileSync(join(from, name), "utf8")),
  );
  writeFileSync(factsPath(dialect), formatJson(facts));
  console.log(`wrote ${factsPath(dialect)}: ${facts.kinds.length} kinds`);
}
