import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { faultsOfBlocks } from "./command-blocks.ts";
import { faultsOfWidth } from "./prose-width.ts";

/** What is wrong with the written part of the project: broken links, missing pages, commands that no test runs, lines that are too wide. */
export function faultsOfDocuments(root: string): string[] {
  return [
    ...brokenLinks(root),
    ...commandsForNewerNode(root),
    ...missingReadmes(root),
    ...missingSources(root),
    ...unlistedDependencies(root),
    ...lockFileAddresses(root),
    ...pagesOf(root).flatMap(([path, page]) => faultsOfBlocks(path, page)),
    ...pagesOf(root)
      .filter(([path]) => path === "README.md" || path.startsWith("docs/"))
      .flatMap(([path, page]) => faultsOfWidth(path, page)),
  ];
}

const folders = ["docs", "packages", "apps", "bench", "examples", "scripts", "stories", "tools", "deploy"];

const markdown = (root: string): string[] =>
  globSync(`{*.md,{${folders.join()}}/**/*.md}`, { cwd: root }).filter((path) => !path.includes("node_modules"));

const pagesOf = (root: string): [string, string][] =>
  markdown(root).map((path) => [path, readFileSync(join(root, path), "utf8")]);

function brokenLinks(root: string): string[] {
  return markdown(root).flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8")
      .replace(/```[\s\S]*?```/g, "")
      .replace(/`[^`\n]*`/g, "");
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? "");
    return links
      .filter((link) => !/^(https?:|mailto:)/.test(link))
      .filter((link) => !leadsSomewhere(root, path, link))
      .map((link) => `${path}: the link to ${link} leads nowhere`);
  });
}

/** The file exists, and the heading after `#` too. */
function leadsSomewhere(root: string, page: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? join(root, page) : join(root, normalize(join(dirname(page), decodeURI(file))));
  if (!existsSync(target)) return false;
  return anchor === undefined || !target.endsWith(".md") || anchorsOf(readFileSync(target, "utf8")).has(anchor);
}

/** Headings as GitHub names them: lower case, no punctuation, dashes for spaces. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- _]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );

/** The README calls Node 20 enough, and that runs no TypeScript: commands go through npm, npx or a .mjs file. */
function commandsForNewerNode(root: string): string[] {
  return markdown(root).flatMap((path) => {
    const commands = readFileSync(join(root, path), "utf8").matchAll(/(?<![\w./-])node(?: +-\S+)* +\S+\.m?ts\b/g);
    return [...commands].map(([command]) => `${path}: "${command}" fails on Node 20; use npx or npm run`);
  });
}

function missingReadmes(root: string): string[] {
  return globSync("{packages/*/*,apps/*}/package.json", { cwd: root })
    .map((path) => dirname(path))
    .filter((folder) => !existsSync(join(root, folder, "README.md")))
    .map((folder) => `${folder}: has no README.md`);
}

/** Files that the page of a package names: `serve.ts` or `src/http/serve.ts`, anywhere in the project. */
function missingSources(root: string): string[] {
  const pages = globSync("{packages/*/*,apps/*}/{,src/**/}README.md", { cwd: root });
  const sources = globSync(`{${folders.join()}}/**/*.{ts,mjs}`, {
    cwd: root,
    exclude: (path) => path.includes("node_modules"),
  });
  const exists = (name: string): boolean => sources.some((path) => `/${path}`.endsWith(`/${name}`));
  return pages.flatMap((page) => {
    const named = readFileSync(join(root, page), "utf8").matchAll(/`([\w./-]+\.(?:ts|mjs))`/g);
    return [...named]
      .map(([, name = ""]) => name.replace(/^(?:\.\.?\/)+/, ""))
      .filter((name) => !exists(name))
      .map((name) => `${page}: no file ${name}`);
  });
}

/** Every runtime dependency has its line in docs/internals/dependencies.md: what for, why this one. */
function unlistedDependencies(root: string): string[] {
  const page = readFileSync(join(root, "docs/internals/dependencies.md"), "utf8");
  const listed = (name: string): boolean => page.includes(`\`${name}\``);
  const manifests = ["package.json", ...globSync("{packages/*/*,apps/*}/package.json", { cwd: root })];
  const names = new Set(manifests.flatMap((path) => dependenciesOf(join(root, path))));
  return [...names]
    .filter((name) => !listed(name))
    .map((name) => `docs/internals/dependencies.md: has no line for \`${name}\``);
}

function dependenciesOf(path: string): string[] {
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Record<string, Record<string, string> | undefined>;
  return Object.keys({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  }).filter((name) => !name.startsWith("@trivium/"));
}

function lockFileAddresses(root: string): string[] {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8");
  return /"resolved": "https?:/.test(lock)
    ? ["package-lock.json: names download addresses; write it again with the settings of .npmrc"]
    : [];
}
