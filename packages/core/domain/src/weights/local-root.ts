/** A folder where the operator runs that sources may name. */
export interface LocalRoot {
  /** As sources write it. */
  readonly path: string;
  /** Where it is here, when that is somewhere else. */
  readonly realPath?: string;
}

/** Where a path that a source names lies here; nothing when no root has it. */
export function whereIs(path: string, roots: readonly LocalRoot[]): string | undefined {
  const found = roots
    .filter((root) => path === root.path || path.startsWith(`${root.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
  return found === undefined ? undefined : `${found.realPath ?? found.path}${path.slice(found.path.length)}`;
}
