interface Evaluated<V> {
  readonly keys: readonly object[];
  readonly value: V;
}

type Known<V> = WeakMap<object, Evaluated<V>[]>;

/** One pass needs a few; an operator has thousands of objects, and what it computed of each is not worth keeping until the next pass. */
const maxKept = 256;

/**
 * A pure function of objects that never change, evaluated once for the same objects within a pass: what one step computes, the next steps
 * are handed on. Objects are compared by identity.
 */
export function once<K extends readonly [object, ...object[]], V>(compute: (...keys: K) => V): (...keys: K) => V {
  let recent: Known<V> = new WeakMap();
  let former: Known<V> = new WeakMap();
  let count = 0;
  return (...keys) => {
    const known = find(recent, keys) ?? find(former, keys);
    if (known !== undefined) return known.value;
    if (count === maxKept) [former, recent, count] = [recent, new WeakMap(), 0];
    count += 1;
    const value = compute(...keys);
    keep(recent, { keys, value });
    return value;
  };
}

function find<V>(known: Known<V>, keys: readonly object[]): Evaluated<V> | undefined {
  return known.get(keys[0] as object)?.find((one) => isSame(one.keys, keys));
}

const isSame = (some: readonly object[], others: readonly object[]): boolean =>
  some.every((key, at) => key === others[at]);

/** A map for each key would cost more than most of what is computed: an object has few results at a time. */
function keep<V>(known: Known<V>, result: Evaluated<V>): void {
  const first = result.keys[0] as object;
  const others = known.get(first);
  if (others === undefined) known.set(first, [result]);
  else others.push(result);
}
