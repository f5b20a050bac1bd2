const manyRoots = 6;

/** Why files of a node cannot be used, and what to do: the operator allows directories, and this is in none of them. */
export function describeRefusedPath(
  path: string,
  localRoots: readonly string[],
  setting = "--allowed-host-path-roots of the operator, folders in trivium.yaml",
): string {
  const remedy = `move it, or allow its directory (${setting})`;
  // Where a machine shares its whole disk, a directory that is not allowed is most often one that does not exist.
  if (localRoots.length > manyRoots)
    return `${path} does not exist, or is not in an allowed directory for file:// sources; correct the path, ${remedy}`;
  const allowed = localRoots.length === 0 ? "none is allowed" : `allowed: ${localRoots.join(", ")}`;
  return `${path} is not in an allowed directory for file:// sources (${allowed}); ${remedy}`;
}
