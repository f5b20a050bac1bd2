/**
 * Does a path match one of the patterns? As with the Hub's clients, `*` and `?` cross slashes, and a pattern that ends in a
 * slash means all that lies under that folder.
 */
export function matchesAny(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => matches(pattern.endsWith("/") ? `${pattern}*` : pattern, path));
}

/** Walks both texts at once and goes back to the latest star only, so that no pattern can take exponential time. */
function matches(pattern: string, path: string): boolean {
  let [at, star, starAt] = [0, -1, 0];
  for (let i = 0; i < path.length; ) {
    if (pattern[at] === "*") {
      star = at++;
      starAt = i;
    } else if (pattern[at] === "?" || pattern[at] === path[i]) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++starAt;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
