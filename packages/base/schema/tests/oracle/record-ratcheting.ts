/**
 * Asks a real kube-apiserver how it judges updates of objects that were made before their schema became stricter, and writes
 * its answers beside the cases in `ratcheting.json`.
 *
 *   NODE_TLS_REJECT_UNAUTHORIZED=0 node tests/oracle/record-ratcheting.ts https://127.0.0.1:6443 TOKEN
 *
 * It makes a CRD of the group `schema-parity.example` and takes it away again.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const [server = "", token = ""] = process.argv.slice(2);
const file = new URL("ratcheting.json", import.meta.url);
const recorded = JSON.parse(readFileSync(file, "utf8")) as {
  schema: object;
  cases: { title: string; old: object; next: object; faults: string[]; warnings: string[] }[];
};
const group = "schema-parity.example";
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const ratchets = `/apis/${group}/v1/ratchets`;
const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

// biome-ignore lint/suspicious/noExplicitAny: answers of a server
type Answer = { status: number; body: any; warnings: string[] };

async function call(method: string, path: string, body?: object): Promise<Answer> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await fetch(server + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const warnings = [...(response.headers.get("warning") ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)];
  const texts = warnings.map(([, text = ""]) => text.replace(/\\(.)/g, "$1"));
  return { status: response.status, body: await response.json(), warnings: texts };
}

const versions = (schema: object) => [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `ratchets.${group}` },
  spec: {
    group,
    scope: "Cluster",
    names: { plural: "ratchets", kind: "Ratchet" },
    versions: versions({ type: "object", properties: { spec: free } }),
  },
};

const made = await call("POST", crds, crd);
if (made.status !== 201) throw new Error(made.body.message);
try {
  await sleep(3000);
  const stored: Answer[] = [];
  for (const [index, { old }] of recorded.cases.entries()) {
    const object = { apiVersion: `${group}/v1`, kind: "Ratchet", metadata: { name: `c${index}` }, spec: old };
    stored.push(await call("POST", ratchets, object));
  }
  await call("PATCH", `${crds}/${crd.metadata.name}`, { spec: { versions: versions(recorded.schema) } });
  await sleep(3000);
  for (const [index, one] of recorded.cases.entries()) {
    const { body, warnings } = await call("PUT", `${ratchets}/c${index}`, { ...stored[index]?.body, spec: one.next });
    const causes: { field: string; message: string }[] = body.details?.causes ?? [];
    one.faults = causes.map(({ field, message }) => `${field}: ${message}`).sort();
    one.warnings = warnings;
  }
  writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`);
} finally {
  await call("DELETE", `${crds}/${crd.metadata.name}`);
}
