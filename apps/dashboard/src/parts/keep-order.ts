/**
 * The same value with its keys in the order of another: a server may return them in another order than it stored them, which changes
 * nothing. Keys that only the value has come last.
 */
export function keepOrder<T>(value: T, model: unknown): T {
  if (Array.isArray(value)) {
    const items = Array.isArray(model) ? model : [];
    return value.map((item, at) => keepOrder(item, items[at])) as T;
  }
  if (!isRecord(value)) return value;
  const like = isRecord(model) ? model : {};
  const keys = [...Object.keys(like).filter((key) => Object.hasOwn(value, key)), ...Object.keys(value)];
  return Object.fromEntries([...new Set(keys)].map((key) => [key, keepOrder(value[key], like[key])])) as T;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
