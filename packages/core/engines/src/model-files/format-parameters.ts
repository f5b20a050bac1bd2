const units = [
  ["T", 1e12],
  ["B", 1e9],
  ["M", 1e6],
  ["K", 1e3],
] as const;

/** `8.03B`, `685B`, `46.7B`: whole numbers without decimals, others with at most two. */
export function formatParameterCount(count: number): string {
  for (const [at, [suffix, unit]] of units.entries()) {
    if (count < unit) continue;
    const value = Number((count / unit).toFixed(2));
    const larger = units[at - 1];
    // 999.999M is nearer to 1B than to any number of M with two decimals.
    return value >= 1000 && larger !== undefined ? `1${larger[0]}` : `${value}${suffix}`;
  }
  return String(count);
}
