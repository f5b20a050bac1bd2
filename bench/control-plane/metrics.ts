/** The sum of a counter over all its labels in the text that a process serves for Prometheus; nothing where it is not served. */
export function sumOfMetric(text: string, name: string): number | undefined {
  const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  if (lines.length === 0) return undefined;
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
