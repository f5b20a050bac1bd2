/** An absolute path without `.` and `..` steps and repeated slashes, by its text alone. */
export function cleanPath(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return `/${steps.join("/")}`;
}

/** The nearest folder among `roots` that a path is or lies in; none where it lies in no one of them. */
export function rootOf(path: string, roots: readonly string[]): string | undefined {
  const place = cleanPath(path);
  return roots
    .map(cleanPath)
    .filter((root) => place === root || place.startsWith(root === "/" ? "/" : `${root}/`))
    .sort((a, b) => b.length - a.length)[0];
}
