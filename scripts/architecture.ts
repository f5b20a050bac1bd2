import { globSync, readFileSync } from "node:fs";
import { dirname, relative } from "node:path";

/** The storeys as `architecture.json` states them: who may import whom. */
export interface Architecture {
  readonly storeys: Readonly<Record<string, Storey>>;
}
interface Storey {
  readonly packages: readonly string[];
  /** Pure packages run in a browser and never read a clock, the network or a file. */
  readonly pure: boolean;
  /** Package → packages or whole storeys it may import. */
  readonly mayImport: Readonly<Record<string, readonly string[]>>;
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** What a pure package must not say, and why. */
const impure: readonly (readonly [RegExp, string])[] = [
  [/from\s+["']node:|import\(["']node:|import\s+["']node:/, "imports a module of Node"],
  [/\bprocess\.\w/, "uses process"],
  [/\bfetch\(/, "calls fetch"],
  [/\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/, "reads the clock"],
  [/\bMath\.random\(|\bcrypto\.(randomUUID|getRandomValues)\(/, "uses randomness"],
];

const importPattern = /(?:from\s+|import\s*\(?\s*)["']([^"']+)["']/g;

export function readSources(root: string): SourceFile[] {
  return globSync("{packages/*/*,apps/*}/{src,tests}/**/*.{ts,tsx}", { cwd: root }).map((path) => ({
    path,
    text: readFileSync(`${root}/${path}`, "utf8"),
  }));
}

/** Every broken rule, as one line a person can act on. */
export function faultsOfArchitecture(architecture: Architecture, files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => faultsOfFile(architecture, file));
}

function faultsOfFile(architecture: Architecture, file: SourceFile): string[] {
  const place = placeOf(file.path);
  const storey = architecture.storeys[place.storey];
  if (!storey?.packages.includes(place.package)) {
    return [`${file.path}: package "${place.package}" is not listed in storey "${place.storey}" of architecture.json`];
  }
  const isTest = file.path.endsWith(".test.ts") || file.path.includes("/tests/");
  const code = withoutComments(file.text);
  const faults: string[] = [];
  for (const [, target] of code.matchAll(importPattern)) {
    const fault = faultOfImport(architecture, { ...place, path: file.path, isTest }, target ?? "");
    if (fault !== undefined) faults.push(`${file.path}: ${fault}`);
  }
  if ((storey.pure || file.path.endsWith("/src/contract.ts")) && !isTest) {
    for (const [pattern, what] of impure) {
      if (pattern.test(code))
        faults.push(`${file.path}: ${what}; ${storey.pure ? place.storey : "a contract"} must stay pure`);
    }
  }
  return faults;
}

interface Importer {
  readonly storey: string;
  readonly package: string;
  readonly folder: string;
  readonly path: string;
  readonly isTest: boolean;
}

function faultOfImport(architecture: Architecture, from: Importer, target: string): string | undefined {
  if (target.startsWith(".")) {
    const resolved = relative(from.folder, `${dirname(from.path)}/${target}`);
    // A test may start a real cluster, or the program as a person does, and neither is part of the house.
    if (from.isTest && /^(\.\.\/)+(tools|scripts)\//.test(resolved)) return undefined;
    return resolved.startsWith("..") ? `imports ${target}, past the door of its package` : undefined;
  }
  if (!target.startsWith("@trivium/")) return undefined;
  const [, name = "", ...rest] = target.split("/");
  // What a server and its page agree on runs in a browser, so it is not behind the door that leads to Node.
  if (rest.length > 0 && rest.join("/") !== "contract") return `imports ${target}; use the door @trivium/${name}`;
  if (name === from.package) return undefined;
  // A test may bring up the whole house; what ships may not.
  const bringsUpHouse = from.path.includes("/tests/") || from.storey === "platform" || from.storey === "apps";
  if (from.isTest && (name === "testkit" || bringsUpHouse)) return undefined;
  const allowed = architecture.storeys[from.storey]?.mayImport[from.package] ?? [];
  const storey = Object.entries(architecture.storeys).find(([, each]) => each.packages.includes(name))?.[0];
  if (allowed.includes(name) || (storey !== undefined && allowed.includes(storey))) return undefined;
  return `imports ${target}: ${from.storey}/${from.package} may import only ${allowed.join(", ") || "nothing"}`;
}

function placeOf(path: string): { storey: string; package: string; folder: string } {
  const parts = path.split("/");
  return parts[0] === "apps"
    ? { storey: "apps", package: parts[1] ?? "", folder: parts.slice(0, 2).join("/") }
    : { storey: parts[1] ?? "", package: parts[2] ?? "", folder: parts.slice(0, 3).join("/") };
}

/** Words in comments are not code. Strings that look like comments are rare enough to not matter here. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/[^\n]*/g, "$1");
}
