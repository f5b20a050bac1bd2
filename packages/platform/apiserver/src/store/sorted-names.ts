/** Arrays of distinct strings in code-unit order, kept sorted by binary search. */

/** The first position whose name is not before `wanted`. */
export function lowerBound(names: readonly string[], wanted: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (names[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first position whose name is behind `wanted`. */
export function upperBound(names: readonly string[], wanted: string): number {
  const at = lowerBound(names, wanted);
  return names[at] === wanted ? at + 1 : at;
}

export function insertName(names: string[], name: string): void {
  const last = names.at(-1);
  if (last === undefined || last < name) {
    names.push(name);
    return;
  }
  const at = lowerBound(names, name);
  if (names[at] !== name) names.splice(at, 0, name);
}

export function removeName(names: string[], name: string): void {
  const at = lowerBound(names, name);
  if (names[at] === name) names.splice(at, 1);
}
