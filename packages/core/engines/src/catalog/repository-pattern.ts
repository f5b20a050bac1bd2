/** Whether a repository fits a pattern in which `*` is any run of characters, slashes too. Takes no longer for nasty patterns. */
export function matchesRepository(pattern: string, repository: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === repository;
  const last = rest.at(-1) ?? "";
  if (!repository.startsWith(first) || !repository.endsWith(last)) return false;
  const end = repository.length - last.length;
  let at = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = repository.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end;
}
