import { dirname, normalize } from "node:path";
import type { SourceFile } from "../architecture.ts";

/** An import of one file by another of the same package. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** A type alone is gone when the code runs. */
  readonly isType: boolean;
}

const statement = /^(?:import|export)\s+(type\s+)?((?:[^;"']*?)\s+from\s+)?["']([^"']+)["']/gm;

export interface Import {
  readonly target: string;
  readonly isType: boolean;
}

/** What a file imports or exports on, in its order. */
export function importsOf(text: string): Import[] {
  return [...text.matchAll(statement)].map(([, type, names = "", target = ""]) => ({
    target,
    isType: type !== undefined || hasTypesAlone(names),
  }));
}

/** `{ type A, type B }` leaves no import behind. */
function hasTypesAlone(names: string): boolean {
  const inner = /^\s*\{([^}]*)\}\s+from\s+$/.exec(names)?.[1];
  const parts = inner?.split(",").filter((part) => part.trim() !== "") ?? [];
  return parts.length > 0 && parts.every((part) => /^\s*type\s/.test(part));
}

export const isProduct = ({ path }: Pick<SourceFile, "path">): boolean =>
  path.includes("/src/") && !/\.(?:test|cases|cluster)\.tsx?$/.test(path);

/** Relative imports among the given files. */
export function edgesOf(files: readonly SourceFile[]): Edge[] {
  const known = new Set(files.map(({ path }) => path));
  return files.flatMap(({ path, text }) =>
    importsOf(text)
      .filter(({ target }) => target.startsWith("."))
      .map(({ target, isType }) => ({ from: path, to: normalize(`${dirname(path)}/${target}`), isType }))
      .filter(({ to }) => known.has(to)),
  );
}

/** Groups of files each of which reaches all others, the largest first. */
export function knotsOf(edges: readonly Pick<Edge, "from" | "to">[]): string[][] {
  const next = Map.groupBy(edges, ({ from }) => from);
  const places = new Map<string, { index: number; low: number; isOpen: boolean }>();
  const stack: string[] = [];
  const knots: string[][] = [];
  const visit = (file: string): { low: number } => {
    const place = { index: places.size, low: places.size, isOpen: true };
    places.set(file, place);
    stack.push(file);
    for (const { to } of next.get(file) ?? []) {
      const other = places.get(to);
      if (other === undefined) place.low = Math.min(place.low, visit(to).low);
      else if (other.isOpen) place.low = Math.min(place.low, other.index);
    }
    if (place.low === place.index) {
      const knot = stack.splice(stack.indexOf(file));
      for (const one of knot) (places.get(one) as { isOpen: boolean }).isOpen = false;
      if (knot.length > 1) knots.push(knot.sort());
    }
    return place;
  };
  for (const { from } of edges) if (!places.has(from)) visit(from);
  return knots.sort((a, b) => b.length - a.length);
}
