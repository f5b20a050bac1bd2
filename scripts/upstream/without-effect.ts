/** A row of the table under "Without effect" in `docs/reference/dialects/<name>.md`: a field that is accepted and changes nothing. */
export interface WithoutEffect {
  readonly kind: string;
  readonly field: string;
}

export function readWithoutEffect(page: string): WithoutEffect[] {
  const [, section = ""] = page.split("\n## Without effect\n");
  return [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `(\w+)` \| `([^`]+)` \|/gm)].map(
    ([, kind = "", field = ""]) => ({ kind, field }),
  );
}

/** A row counts for all that is below its field, and for the kind of the other scope. */
export function coversField(row: WithoutEffect, kind: string, field: string): boolean {
  const path = field.replaceAll("{}", "");
  const isBelow = path === row.field || path.startsWith(`${row.field}.`) || path.startsWith(`${row.field}[]`);
  return isBelow && withoutScope(row.kind) === withoutScope(kind);
}

const withoutScope = (kind: string): string => kind.replace("Cluster", "");
