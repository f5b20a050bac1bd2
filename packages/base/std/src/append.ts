/** Adds all items at the end. `list.push(...items)` puts each item on the stack, which overflows at about 100,000 of them. */
export function append<T>(list: T[], ...parts: readonly Iterable<T>[]): void {
  for (const part of parts) for (const item of part) list.push(item);
}
