/** How values lie. All zero where there are none. */
export interface Distribution {
  readonly count: number;
  readonly mean: number;
  readonly deviation: number;
  readonly min: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export function summarizeValues(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b);
  const count = sorted.length;
  const mean = count === 0 ? 0 : sorted.reduce((sum, value) => sum + value, 0) / count;
  const variance = count === 0 ? 0 : sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count;
  const at = (share: number) => percentile(sorted, share);
  return {
    count,
    mean,
    deviation: Math.sqrt(variance),
    min: at(0),
    p25: at(0.25),
    p50: at(0.5),
    p75: at(0.75),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    max: at(1),
  };
}

/** Of sorted values; between two of them, by the share of the way. */
export function percentile(sorted: readonly number[], share: number): number {
  if (sorted.length === 0) return 0;
  const place = share * (sorted.length - 1);
  const low = Math.floor(place);
  const [a, b] = [sorted[low] as number, sorted[Math.min(low + 1, sorted.length - 1)] as number];
  // Written so that equal neighbours give exactly themselves.
  return a + (b - a) * (place - low);
}
