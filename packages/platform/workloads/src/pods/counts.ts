/** Leaves out numbers that are zero, as the API does in most counts of a status. */
export function withoutZeros<T extends Readonly<Record<string, number | undefined>>>(counts: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(counts).filter(([, count]) => count !== 0 && count !== undefined),
  ) as Partial<T>;
}
