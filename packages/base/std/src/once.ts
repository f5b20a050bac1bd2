interface Evaluated<V> {
  result?: { readonly value: V };
  next?: WeakMap<object, Evaluated<V>>;
}

/** One pass needs a few; an operator has thousands of objects, and what it computed of each is not worth keeping until the next pass. */
const maxKept = 256;

/**
 * A pure function of objects that never change, evaluated once for the same objects within a pass: what one step computes, the next steps
 * are handed on. Objects are compared by identity.
 */
export function once<K extends readonly object[], V>(compute: (...keys: K) => V): (...keys: K) => V {
  let recent: Evaluated<V> = {};
  let former: Evaluated<V> = {};
  let count = 0;
  return (...keys) => {
    const known = find(recent, keys) ?? find(former, keys);
    if (known !== undefined) return known.value;
    if (count === maxKept) [former, recent, count] = [recent, {}, 0];
    count += 1;
    const result = { value: compute(...keys) };
    keep(recent, keys, result);
    return result.value;
  };
}

function find<V>(root: Evaluated<V>, keys: readonly object[]): Evaluated<V>["result"] {
  let at: Evaluated<V> | undefined = root;
  for (const key of keys) at = at?.next?.get(key);
  return at?.result;
}

function keep<V>(root: Evaluated<V>, keys: readonly object[], result: { readonly value: V }): void {
  let at = root;
  for (const key of keys) {
    at.next ??= new WeakMap();
    const next: Evaluated<V> = at.next.get(key) ?? {};
    at.next.set(key, next);
    at = next;
  }
  at.result = result;
}
