import type { MemoryFit, MemoryShare, SizingAnswer } from "@trivium/domain";

const units = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** A quantity as Kubernetes writes it, such as `5.0Gi`; below 1Ki plain bytes. */
export const formatMemory = (bytes: number): string => formatBytes(bytes, (value) => value.toFixed(1));

/** What is offered, rounded down: a request of the printed amount can be met. */
export const formatOffered = (bytes: number): string =>
  formatBytes(bytes, (value) => (Math.floor(value * 10) / 10).toFixed(1));

function formatBytes(bytes: number, round: (value: number) => string): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? String(value) : `${round(value)}${units[unit]}`;
}

/** The whole sum, a line a term, so that a person can check it. */
export function summarizeMemory(answer: SizingAnswer): string {
  if (answer.is === "impossible") return `impossible: ${answer.why}`;
  const total = `${formatMemory(answer.bytes)} in total (${answer.bytes} B)`;
  return [...answer.shares.flatMap(linesOf), `${total}; fits: ${answer.fits}`].join("\n");
}

/** The same of a fit, with what would fit instead. */
export function listMemory({ impossible, shares, fits, alternatives }: MemoryFit): string[] {
  if (impossible !== undefined) return [...shares.flatMap(linesOf), impossible];
  const outcome = { yes: "It fits", partly: "It fits in part", no: "It does not fit", unknown: "" }[fits];
  const instead = alternatives.length === 0 ? "" : `; would fit: ${alternatives.map(({ text }) => text).join(", ")}`;
  return [...shares.flatMap(linesOf), ...(outcome === "" ? [] : [`${outcome}${instead}`])];
}

function linesOf({ place, times, terms, bytes, available }: MemoryShare): string[] {
  const where = place === "host" ? "CPU" : times === 1 ? "device" : `each of ${times} devices`;
  const of = available === undefined ? "" : ` of ${formatMemory(available)}`;
  const width = Math.max(...terms.map((term) => formatMemory(term.bytes).length));
  const lines = terms.map((term) => `  ${formatMemory(term.bytes).padStart(width)}  ${term.what}: ${term.how}`);
  return [`${where}: ${formatMemory(bytes)}${of}`, ...lines];
}
