/**
 * The keys of a change are paths: `spec.replicas`. A key with a slash is one name as it stands (`ome.io/template`), and brackets hold
 * a name with a dot (`[config.json]`) or, two of them, one with anything else.
 */
export function stepsOf(key: string): string[] {
  if (key.startsWith("[[") && key.endsWith("]]")) return [key.slice(2, -2)];
  if (key.includes("/") || key.startsWith("$")) return [key];
  return (key.match(/\[[^\]]*\]|[^.]+/g) ?? [key]).map((step) => (step.startsWith("[") ? step.slice(1, -1) : step));
}

/** One name as it is written in a key. */
export function keyOf(step: string): string {
  if (/[[\]]|^\$|^$/.test(step)) return anyKey(step);
  return step.includes(".") && !step.includes("/") ? `[${step}]` : step;
}

/** The way to write a name that works for all. */
export const anyKey = (step: string): string => `[[${step}]]`;

/** Whether other steps can follow or precede a key on the same line. */
export const canJoin = (key: string): boolean => !/^\[\[|^\$|\//.test(key);
