/**
 * Resource versions of one resource are numbers that only grow, written as text of any length.
 * Says whether `a` is at least as new as `b`; a version that is no number cannot be waited for, so it counts as reached.
 */
export function isAtLeast(a: string | undefined, b: string | undefined): boolean {
  if (b === undefined || !isNumber(b)) return true;
  if (a === undefined || !isNumber(a)) return false;
  return a.length === b.length ? a >= b : a.length > b.length;
}

/** Whether `a` is known to be no newer than `b`. */
export function isOutdated(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined || !isNumber(a) || !isNumber(b)) return false;
  return isAtLeast(b, a);
}

const isNumber = (text: string): boolean => /^[1-9]\d*$|^0$/.test(text);
