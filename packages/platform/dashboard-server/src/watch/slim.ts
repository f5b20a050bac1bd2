/** An object as the page needs it: who set which field when is half of its size, and what was applied last is in it twice. */
export function slim<T>(object: T): T {
  const { metadata } = object as { metadata?: Metadata };
  if (metadata === undefined) return object;
  delete metadata.managedFields;
  if (metadata.annotations !== undefined) delete metadata.annotations[lastApplied];
  return object;
}

interface Metadata {
  managedFields?: unknown;
  annotations?: Record<string, string>;
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
