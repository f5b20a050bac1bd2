/** A vector brought to a length: by its largest value (0), its sum (1), its Euclidean length (2) or a higher norm; -1: as it is. */
export function normalize(vector: readonly number[], kind: number): readonly number[] {
  const length = lengthOf(vector, kind);
  return length > 0 ? vector.map((value) => value / length) : vector;
}

/** The range of 16-bit integers, to which vectors are scaled by their largest value. */
const largestInteger = 32_760;

function lengthOf(vector: readonly number[], kind: number): number {
  if (kind < 0) return 1;
  if (kind === 0) return vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / largestInteger;
  if (kind === 2) return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.reduce((sum, value) => sum + Math.abs(value) ** kind, 0) ** (1 / kind);
}
