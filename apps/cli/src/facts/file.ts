import { chmodSync, statSync, writeFileSync } from "node:fs";
import { type AnyObject, redact } from "@trivium/kube";
import { formatTime, parseTime, Refusal } from "@trivium/std";
import { stringify } from "yaml";
import { type FileObject, readObjects, requireMetadata } from "./documents.ts";
import type { Facts } from "./facts.ts";
import { forEachOrFaults } from "./faults.ts";

const head = { apiVersion: "trivium.dev/v1", kind: "Facts" } as const;

/** Facts as YAML without credentials: what was asked and answered, then every object as the API shows it. */
export function formatFacts({ now, objects, ...rest }: Facts): string {
  const first = { ...head, now: formatTime(now), ...rest };
  const documents = redact([first, ...objects] as never[]);
  return documents.map((one) => stringify(one, { aliasDuplicateObjects: false, lineWidth: 0 })).join("---\n");
}

export function saveFacts(path: string, facts: Facts): void {
  // Without credentials, and still nobody else's business.
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && (found.mode & 0o077) !== 0) chmodSync(path, 0o600);
  writeFileSync(path, formatFacts(facts), { mode: 0o600 });
}

/** Reads saved facts, or plain objects such as the output of `kubectl get -A -o yaml`. */
export function readFacts(path: string, now: number): Facts {
  const documents = readObjects(path);
  const header = documents.find(
    ({ object: { apiVersion, kind } }) => apiVersion === head.apiVersion && kind === head.kind,
  );
  const saved = (header?.object ?? {}) as unknown as Partial<Facts> & { readonly now?: unknown };
  const at = parseTime(String(saved.now ?? ""));
  return {
    now: at ?? now,
    subject: saved.subject,
    namespace: saved.namespace,
    options: saved.options,
    answers: saved.answers ?? [],
    unreadable: saved.unreadable ?? [],
    served: saved.served ?? [],
    objects: forEachOrFaults(
      documents.filter((one) => one !== header),
      requireName,
    ),
  };
}

/** An object that the API showed has a name; nothing is generated here. */
function requireName(one: FileObject): AnyObject {
  const object = requireMetadata(one);
  if (!object.metadata.name) throw new Refusal(`${one.place}: ${object.kind} has no name; add metadata.name`);
  return object;
}
