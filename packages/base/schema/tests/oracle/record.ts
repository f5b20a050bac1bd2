/**
 * Asks a real kube-apiserver for its answers to the cases and writes them down.
 *
 *   NODE_TLS_REJECT_UNAUTHORIZED=0 node tests/oracle/record.ts https://127.0.0.1:6443 TOKEN
 *
 * It makes CRDs of the group `schema-parity.example` and takes them away again.
 */
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Schema } from "@trivium/schema";
import type { Json } from "@trivium/std";
import { ruleSchema, rules, schemas, transitionSchema, transitions, valueSchema, values } from "./cases.ts";

const [server = "", token = ""] = process.argv.slice(2);
const group = "schema-parity.example";
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface Cause {
  reason: string;
  field: string;
  message: string;
}
// biome-ignore lint/suspicious/noExplicitAny: answers of a server
type Answer = { code: number; body: any };

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(server + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { code: response.status, body: await response.json() };
}

function faultsIn({ body }: Answer): string[] {
  if (body.status !== "Failure") return [];
  const causes: Cause[] = body.details?.causes ?? [{ reason: body.reason, field: "", message: body.message }];
  return causes.map((cause) => `${cause.reason} ${cause.field}: ${cause.message}`).sort();
}

const crdOf = (plural: string, schema: unknown) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Cluster",
    names: { plural, singular: plural.slice(0, -1), kind: "Probe", listKind: "ProbeList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

async function withKind<T>(plural: string, schema: Schema, work: (path: string) => Promise<T>): Promise<T> {
  const made = await call("POST", crds, crdOf(plural, schema));
  if (made.code !== 201) throw new Error(made.body.message);
  await sleep(3000);
  try {
    return await work(`/apis/${group}/v1/${plural}`);
  } finally {
    await call("DELETE", `${crds}/${plural}.${group}`);
  }
}

const object = (spec: Json, name = "x") => ({ apiVersion: `${group}/v1`, kind: "Probe", metadata: { name }, spec });

const answers = {
  values: await withKind("values", valueSchema, (path) =>
    eachOf(values, async (spec) => {
      const answer = await call("POST", `${path}?dryRun=All&fieldValidation=Ignore`, object(spec));
      const faults = faultsIn(answer);
      return faults.length > 0 ? { faults } : { spec: answer.body.spec };
    }),
  ),
  rules: await withKind("rules", ruleSchema, (path) =>
    eachOf(rules, ([, ...specs], index) =>
      eachOf(specs, async (spec) =>
        faultsIn(await call("POST", `${path}?dryRun=All`, object({ [`p${index}`]: spec }))),
      ),
    ),
  ),
  transitions: await withKind("changes", transitionSchema, (path) =>
    eachOf(transitions, async ([before, after], index) => {
      const made = await call("POST", path, object(before, `x${index}`));
      return faultsIn(await call("PUT", `${path}/x${index}?dryRun=All`, { ...made.body, spec: after }));
    }),
  ),
  schemas: await eachOf(schemas, async (schema) =>
    faultsIn(await call("POST", `${crds}?dryRun=All&fieldValidation=Ignore`, crdOf("wrongs", schema))),
  ),
};

async function eachOf<T, R>(items: readonly T[], ask: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) results.push(await ask(item, index));
  return results;
}

writeFileSync(new URL("answers.json", import.meta.url), `${JSON.stringify(answers, null, 1)}\n`);
