import type { Dialect } from "@trivium/reconcile";

const names = ["aim", "llmkube", "ome"];

/** Every dialect of the project: the door of its package exports it under the package's own name. */
export async function loadDialects(): Promise<Dialect[]> {
  const doors = await Promise.all(names.map((name) => import(`@trivium/${name}`) as Promise<Record<string, unknown>>));
  return doors.flatMap((door, index) => (door[names[index]!] as Dialect | undefined) ?? []);
}
