/**
 * Puts back what a field was, or takes it away again. What may change is put back in a copy of the new state; if that then
 * differs from the old one, something changed that may not.
 */
export function restore<T extends object, K extends keyof T>(target: T, source: T, field: K): void {
  if (source[field] === undefined) delete target[field];
  else target[field] = source[field];
}
