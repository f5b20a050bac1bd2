import type { Source } from "./source.ts";

/** Whether a local source lies under one of the folders that the operator allows. Others are never refused here. */
export function isAllowed(source: Source, roots: readonly string[]): boolean {
  if (source.is !== "local") return true;
  const path = clean(source.path);
  return roots.map(clean).some((root) => path === root || path.startsWith(root === "/" ? "/" : `${root}/`));
}

/** An absolute path without `.` and `..` steps and repeated slashes, by its text alone. */
function clean(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return `/${steps.join("/")}`;
}
