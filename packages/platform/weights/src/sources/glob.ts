/** Does a path match one of the patterns? As on the Hub, `*` and `?` cross slashes and a pattern with no wildcard is a whole path or a folder. */
export function matchesAny(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => toExpression(pattern).test(path));
}

function toExpression(pattern: string): RegExp {
  let source = "";
  for (const character of pattern.endsWith("/") ? `${pattern}*` : pattern) {
    // Runs of stars mean one star; as expressions they would take exponential time.
    if (character === "*") source += source.endsWith("[^]*") ? "" : "[^]*";
    else if (character === "?") source += "[^]";
    else source += character.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  }
  return new RegExp(`^${source}$`, "u");
}
