import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Schema } from "@trivium/schema";
import { leavesOf, readCases } from "@trivium/testkit";
import { AcceleratorClass } from "../src/kinds/accelerator-class.ts";
import { ClusterBaseModel } from "../src/kinds/base-model.ts";
import { BenchmarkJob } from "../src/kinds/benchmark-job.ts";
import { FineTunedWeight } from "../src/kinds/fine-tuned-weight.ts";
import { InferenceService } from "../src/kinds/inference-service.ts";
import { modelVocabulary, serviceVocabulary } from "../src/reasons.ts";
import { schemaAt } from "./field-samples.ts";
import { compareRows, rowsOf } from "./unused-rows.ts";

const folders = {
  InferenceService: "inference-service",
  ClusterBaseModel: "model",
  FineTunedWeight: "fine-tuned-weight",
  AcceleratorClass: "accelerator-class",
  BenchmarkJob: "benchmark-job",
} as const;
const decisions = new Map(
  Object.entries(folders).map(([kind, folder]) => {
    const cases = readCases(join(import.meta.dirname, "../src", folder, "cases"));
    return [kind, cases.map(({ decision }) => decision)] as const;
  }),
);
const decisionsOf = (kind: keyof typeof folders) => decisions.get(kind) ?? [];

/** Paths of all that was written, with maps of free names taken as one. */
function pathsIn(value: unknown, schema: Schema, path = "", found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) {
    found.add(path);
    for (const one of value) pathsIn(one, (schema.items ?? {}) as Schema, `${path}[]`, found);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const own = schema.properties?.[name];
      const free = schema.additionalProperties as Schema | undefined;
      pathsIn(inner, own ?? free ?? {}, own === undefined ? path : path === "" ? name : `${path}.${name}`, found);
    }
    found.add(path);
  } else if (value !== undefined) found.add(path);
  return found;
}

/** Fields of maps by free names count as those of their values. */
function statusLeaves(schema: Schema, path = ""): string[] {
  return leavesOf(schema, path).flatMap((leaf) => {
    const at = leaf === "" ? schema : schemaAt(schema, leaf);
    const free = at.additionalProperties;
    return typeof free === "object" && (free as Schema).properties !== undefined
      ? statusLeaves(free as Schema).map((inner) => `${leaf}.${inner}`)
      : [leaf];
  });
}

describe("every field of a status is written in some case, or a row says that it is not", () => {
  for (const kind of [InferenceService, ClusterBaseModel, FineTunedWeight, AcceleratorClass, BenchmarkJob])
    test(kind.kind, () => {
      const schema = kind.schema.properties?.status as Schema;
      const written = new Set<string>();
      for (const { status } of decisionsOf(kind.kind as keyof typeof folders) as { status?: object }[])
        for (const path of pathsIn(status ?? {}, schema)) written.add(path);
      // The runtime writes when a condition changed.
      const byRuntime = (path: string): boolean => path.endsWith("conditions[].lastTransitionTime");
      const unwritten = statusLeaves(schema).filter((path) => !written.has(path) && !byRuntime(path));
      compareRows(
        unwritten.map((path) => `status.${path}`),
        rowsOf(kind.kind, "status"),
      );
    });
});

describe("every reason is given in some case, or a row says that it is not", () => {
  const reasonsIn = (kind: keyof typeof folders): Set<string> => {
    const text = JSON.stringify(decisionsOf(kind));
    return new Set([...text.matchAll(/"reason":"(\w+)"/g)].map(([, word = ""]) => word));
  };
  test("failures of InferenceService", () => {
    const status = InferenceService.schema.properties?.status as Schema;
    const declared = schemaAt(status, "modelStatus.lastFailureInfo.reason").enum as string[];
    const given = reasonsIn("InferenceService");
    compareRows(
      declared.filter((reason) => !given.has(reason)).map((reason) => `reason ${reason}`),
      rowsOf("InferenceService", "reason"),
    );
  });
  test("conditions and events: something other than the list of words gives them", () => {
    const code = sourceOf(join(import.meta.dirname, "../src"));
    const declared = [serviceVocabulary, modelVocabulary].flatMap((words) => [
      ...Object.values(words.conditions).flat(),
      ...words.notes,
    ]);
    const unsaid = [...new Set(declared)].filter((reason) => !code.includes(`"${reason}"`));
    assert.deepEqual(unsaid, []);
  });
});

/** All code but tests and the words themselves. */
function sourceOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(
      (path) =>
        path.endsWith(".ts") && !path.endsWith(".test.ts") && !path.endsWith("words.ts") && !path.startsWith("kinds"),
    )
    .map((path) => readFileSync(join(folder, path), "utf8"))
    .join("\n");
}
