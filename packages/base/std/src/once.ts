interface Evaluated<V> {
  result?: { readonly value: V };
  readonly next: WeakMap<object, Evaluated<V>>;
}

const nothing = <V>(): Evaluated<V> => ({ next: new WeakMap() });

/**
 * A pure function of objects that never change, evaluated once for the same objects as long as they live: what one step of a pass
 * computes, the next steps are handed on. Objects are compared by identity.
 */
export function once<K extends readonly object[], V>(compute: (...keys: K) => V): (...keys: K) => V {
  const root = nothing<V>();
  return (...keys) => {
    let at = root;
    for (const key of keys) {
      const next = at.next.get(key) ?? nothing<V>();
      at.next.set(key, next);
      at = next;
    }
    at.result ??= { value: compute(...keys) };
    return at.result.value;
  };
}
