/** As kubectl shows ages: in one unit, the next when there are two of it. */
export function formatAge(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
