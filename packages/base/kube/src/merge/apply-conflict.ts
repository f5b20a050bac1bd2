import type { Status } from "../errors.ts";
import type { ManagedFields } from "../object.ts";
import { formatPaths } from "./fields/field-set.ts";
import { identityOf, type Manager } from "./fields/managed-fields.ts";

/** A field that the applied object wants otherwise than its manager left it. */
export interface ApplyConflict {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** `.spec.ports[port=80,protocol="TCP"].name` */
  readonly field: string;
}

export function conflictsOf(managers: readonly Manager[]): ApplyConflict[] {
  return managers
    .toSorted((a, b) => (identityOf(a.entry) < identityOf(b.entry) ? -1 : 1))
    .flatMap(({ entry, fields }) => {
      const owner = ownerOf(entry);
      return formatPaths(fields).map((field) => ({ ...owner, field }));
    });
}

function ownerOf({
  manager = "",
  operation = "Update",
  apiVersion = "",
  subresource,
}: ManagedFields): Omit<ApplyConflict, "field"> {
  return { manager, operation, apiVersion, ...(subresource ? { subresource } : {}) };
}

/** The answer to an apply that meets conflicts, as a real server gives it. */
export function conflictStatus(conflicts: readonly ApplyConflict[]): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: messageOf(conflicts),
    reason: "Conflict",
    details: {
      causes: conflicts.map((conflict) => ({
        reason: "FieldManagerConflict",
        message: `conflict with ${printedOwner(conflict)}`,
        field: conflict.field,
      })),
    },
    code: 409,
  };
}

function messageOf(conflicts: readonly ApplyConflict[]): string {
  const [only] = conflicts;
  if (only !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${printedOwner(only)}: ${only.field}`;
  }
  const lines: string[] = [];
  for (const [owner, fields] of Map.groupBy(conflicts, printedOwner)) {
    lines.push(`conflicts with ${owner}:`, ...fields.map(({ field }) => `- ${field}`));
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function printedOwner({ manager, operation, apiVersion, subresource }: ApplyConflict): string {
  const named = JSON.stringify(manager) + (subresource ? ` with subresource ${JSON.stringify(subresource)}` : "");
  return operation === "Update" ? `${named} using ${apiVersion}` : named;
}
