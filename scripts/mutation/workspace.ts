import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutation } from "./mutations.ts";

/** A copy of the packages, so that a tree in which people work is never broken. */
export interface Workspace extends Disposable {
  readonly root: string;
}

/** Packages are copied; what they depend on is linked. */
export function copyWorkspace(from: string): Workspace {
  const root = mkdtempSync(join(tmpdir(), "mutations-"));
  cpSync(join(from, "packages"), join(root, "packages"), {
    recursive: true,
    filter: (path) => !path.includes("node_modules"),
  });
  const modules = join(from, "node_modules");
  const scope = join(root, "node_modules", "@trivium");
  mkdirSync(scope, { recursive: true });
  for (const name of readdirSync(modules).filter((one) => one !== "@trivium"))
    symlinkSync(join(modules, name), join(root, "node_modules", name));
  // Packages of our own must be those of the copy.
  for (const manifest of globSync("packages/*/*/package.json", { cwd: root })) {
    const { name } = JSON.parse(readFileSync(join(root, manifest), "utf8")) as { name: string };
    symlinkSync(join(root, manifest, ".."), join(root, "node_modules", name));
  }
  for (const file of ["package.json", "tsconfig.json"]) cpSync(join(from, file), join(root, file));
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

export type Applied =
  | { readonly is: "applied"; readonly path: string; readonly restore: () => void }
  | { readonly is: "stale" };

/** Breaks one decision in the copy. */
export function applyMutation(root: string, mutation: Mutation): Applied {
  const path = findDecision(root, mutation);
  if (path === undefined) return { is: "stale" };
  const file = join(root, path);
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace(mutation.find, () => mutation.replace),
  );
  return { is: "applied", path, restore: () => writeFileSync(file, text) };
}

/** The first source file of its package that has the decision; nothing where it was rewritten. */
export function findDecision(root: string, { package: folder, find }: Mutation): string | undefined {
  return globSync(`packages/${folder}/src/**/*.ts`, { cwd: root })
    .filter((path) => !path.endsWith(".test.ts"))
    .sort()
    .find((path) => readFileSync(join(root, path), "utf8").includes(find));
}
