import type { MemoryShare, SizingAnswer } from "@trivium/domain";

const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** A quantity as Kubernetes writes it, such as `5.0Gi`; below 1Ki plain bytes. */
export function formatMemory(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? String(value) : `${value.toFixed(1)}${units[unit]}`;
}

/** The whole sum, a line a term, so that a person can check it. */
export function summarizeMemory(answer: SizingAnswer): string {
  if (answer.is === "impossible") return `impossible: ${answer.why}`;
  const total = `${formatMemory(answer.bytes)} in total (${answer.bytes} B)`;
  return [...answer.shares.flatMap(linesOf), `${total}; fits: ${answer.fits}`].join("\n");
}

function linesOf({ place, times, terms, bytes, available }: MemoryShare): string[] {
  const where = place === "host" ? "CPU" : times === 1 ? "device" : `each of ${times} devices`;
  const of = available === undefined ? "" : ` of ${formatMemory(available)}`;
  const width = Math.max(...terms.map((term) => formatMemory(term.bytes).length));
  const lines = terms.map((term) => `  ${formatMemory(term.bytes).padStart(width)}  ${term.what}: ${term.how}`);
  return [`${where}: ${formatMemory(bytes)}${of}`, ...lines];
}
