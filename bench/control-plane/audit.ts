import { closeSync, openSync, readSync, statSync } from "node:fs";

/** A call of the operator, as the API server recorded it. */
export interface AuditedCall {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uri: string;
  readonly code: number;
  /** When it was answered, in milliseconds since 1970. */
  readonly at: number;
  readonly body?: unknown;
}

const writing: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** Leases show that a leader lives; they are neither work nor part of a service. */
export const isWrite = ({ verb, resource }: AuditedCall): boolean => writing.has(verb) && resource !== "leases";

/** An object that belongs to a service: no status, no Event. */
export const isChild = (call: AuditedCall): boolean =>
  isWrite(call) && call.subresource === "" && call.resource !== "events" && call.verb !== "delete";

/** What is recorded: every call of one user, writes with their bodies. */
export function auditPolicyFor(user: string): string {
  const write = { level: "Request", users: [user], verbs: [...writing] };
  const rules = [write, { level: "Metadata", users: [user] }, { level: "None" }];
  return JSON.stringify({
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived", "ResponseStarted"],
    rules,
  });
}

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code?: number };
  readonly stageTimestamp: string;
  readonly requestObject?: unknown;
}

export function parseAuditLine(line: string): AuditedCall {
  const {
    verb,
    requestURI,
    objectRef = {},
    responseStatus,
    stageTimestamp,
    requestObject,
  } = JSON.parse(line) as AuditEvent;
  const { apiGroup = "", resource = "", subresource = "", namespace = "", name = "" } = objectRef;
  // A creation names its object in the body.
  const named = (requestObject as { metadata?: { name?: string } } | undefined)?.metadata?.name ?? "";
  return {
    verb,
    group: apiGroup,
    resource,
    subresource,
    namespace,
    name: name || named,
    uri: requestURI,
    code: responseStatus?.code ?? 0,
    at: Date.parse(stageTimestamp),
    ...(requestObject === undefined ? {} : { body: requestObject }),
  };
}

/** Reads an audit log as it grows. */
export class AuditLog {
  readonly #path: string;
  readonly calls: AuditedCall[] = [];
  #read = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(path: string) {
    this.#path = path;
  }

  /** Takes in what was written since the last call of this. */
  refresh(): readonly AuditedCall[] {
    const file = openSync(this.#path, "r");
    try {
      const size = statSync(this.#path).size;
      const piece = Buffer.alloc(size - this.#read);
      this.#read += readSync(file, piece, 0, piece.length, this.#read);
      const whole = Buffer.concat([this.#rest, piece]);
      const end = whole.lastIndexOf(10) + 1;
      this.#rest = whole.subarray(end);
      for (const line of whole.toString("utf8", 0, end).split("\n"))
        if (line !== "") this.calls.push(parseAuditLine(line));
    } finally {
      closeSync(file);
    }
    return this.calls;
  }
}

/** `patch deployments`, and how often. */
export interface WriteCount {
  readonly what: string;
  readonly count: number;
}

/** Writes by verb and resource, most frequent first. A status is a resource of its own. */
export function countWrites(calls: readonly AuditedCall[]): readonly WriteCount[] {
  const counts = new Map<string, number>();
  for (const call of calls.filter(isWrite)) {
    const what = `${call.verb} ${call.resource}${call.subresource === "" ? "" : `/${call.subresource}`}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts]
    .map(([what, count]) => ({ what, count }))
    .sort((a, b) => b.count - a.count || (a.what < b.what ? -1 : 1));
}

/** When the last of some calls was answered. */
export const lastOf = (calls: readonly AuditedCall[]): number => calls.reduce((last, { at }) => Math.max(last, at), 0);
