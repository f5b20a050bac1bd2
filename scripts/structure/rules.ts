import { basename, dirname } from "node:path";
import type { SourceFile } from "../architecture.ts";
import { edgesOf, importsOf, isProduct, knotsOf } from "./import-graph.ts";

/** A broken rule: where, and what to do about it. */
export interface Fault {
  readonly rule: RuleName;
  /** A file or a folder. */
  readonly place: string;
  readonly what: string;
}
export type RuleName =
  | "form"
  | "object"
  | "export"
  | "cycle"
  | "folder"
  | "length"
  | "lower"
  | "message"
  | "condition"
  | "hook";

const packageOf = (path: string): string => /^(?:packages\/[^/]+\/[^/]+|apps\/[^/]+)/.exec(path)?.[0] ?? "";

const largestTypeKnot = 5;

/** No two files need each other to run; types may, a few files at a time. */
export function findCycles(files: readonly SourceFile[]): Fault[] {
  const edges = edgesOf(files.filter(isProduct));
  const running = knotsOf(edges.filter(({ isType }) => !isType));
  const all = knotsOf(edges).filter(({ length }) => length > largestTypeKnot);
  const fault = (knot: readonly string[], kind: string): Fault => ({
    rule: "cycle",
    place: packageOf(knot[0] ?? ""),
    what: `${knot.length} files import each other${kind}: ${knot.join(", ")}; move what they share into a file of its own`,
  });
  return [...running.map((knot) => fault(knot, "")), ...all.map((knot) => fault(knot, "'s types"))];
}

const largestFolder = 22;

export function findLargeFolders(files: readonly SourceFile[]): Fault[] {
  const folders = Map.groupBy(files.filter(isProduct), ({ path }) => dirname(path));
  return [...folders]
    .filter(([, { length }]) => length > largestFolder)
    .map(([place, { length }]) => ({
      rule: "folder",
      place,
      what: `${length} source files, at most ${largestFolder}; put a part into a sub-folder that names it`,
    }));
}

const longestFile = 400;
/** Written by a program, or a table of fields as an API has them. */
const isTable = /\/(?:generated|kinds)\//;

/** A file that needs more lines has more than one idea. */
export function findLongFiles(files: readonly SourceFile[]): Fault[] {
  return files
    .filter((file) => isProduct(file) && !isTable.test(file.path))
    .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > longestFile)
    .map(({ path, lines }) => ({
      rule: "length",
      place: path,
      what: `${lines} lines, at most ${longestFile}; put one of its ideas into a file of its own`,
    }));
}

const required = ["observe.ts", "lower.ts", "raise.ts"];
/** `events.ts` where there is anything to report. */
const allowed = ["reconciler.ts", "events.ts", ...required];
const kindFolder = /^(packages\/dialects\/[^/]+\/src\/[^/]+)\/reconciler\.ts$/;
const writtenNote = /\btype: "(?:Normal|Warning)",? ?(?:reason|message|\.\.\.)/;

/** Every kind of every dialect has the same files at the top; its parts are in sub-folders, and its events in one place. */
export function findForms(files: readonly SourceFile[]): Fault[] {
  const product = files.filter(isProduct);
  const folders = product.flatMap(({ path }) => kindFolder.exec(path)?.[1] ?? []);
  return folders.flatMap((place) => {
    const own = product.filter(({ path }) => dirname(path) === place);
    const names = own.map(({ path }) => basename(path));
    const noted = own.filter(({ path, text }) => basename(path) !== "events.ts" && writtenNote.test(text));
    const fault = (what: string): Fault => ({ rule: "form", place, what });
    return [
      ...required.filter((name) => !names.includes(name)).map((name) => fault(`has no ${name}`)),
      ...names.filter((name) => !allowed.includes(name)).map((name) => fault(`move ${name} into a sub-folder`)),
      ...noted.map(({ path }) => fault(`${basename(path)} writes an event; move it to events.ts`)),
    ];
  });
}

/** What a dialect lowers to is data: Kubernetes objects are written by the emitters, later. */
export function findEmittersInLower(files: readonly SourceFile[]): Fault[] {
  const product = files.filter(isProduct);
  const next = Map.groupBy(
    edgesOf(product).filter(({ isType }) => !isType),
    ({ from }) => from,
  );
  const emits = new Set(product.filter(importsEmitters).map(({ path }) => path));
  const lowers = product.filter(({ path }) => /^packages\/dialects\/.*\/lower\.ts$/.test(path));
  return lowers.flatMap(({ path }) => {
    const reached = new Set([path]);
    for (const file of reached) for (const { to } of next.get(file) ?? []) reached.add(to);
    return [...reached]
      .filter((file) => emits.has(file))
      .map(
        (file): Fault => ({
          rule: "lower",
          place: file,
          what: `imports an emitter, and ${path} leads to it; plan here, emit later`,
        }),
      );
  });
}

const importsEmitters = ({ text }: SourceFile): boolean =>
  importsOf(text).some(({ target, isType }) => target === "@trivium/emitters" && !isType);

/** `message`, `error.message`, `(error as Error).message`, `lastMessage`. */
const named = String.raw`\b(?:\w*M|m)essage\b(?: \?\? ""\))?`;
const methods = "includes|match|matchAll|startsWith|endsWith|indexOf|lastIndexOf|search";
const matching = new RegExp(
  [
    String.raw`${named}\s*\??\.(?:${methods})\(`,
    String.raw`\.(?:test|exec)\((?:[^()]|\([^()]*\))*?${named}`,
    String.raw`\bswitch \((?:\w+\??\.)*message\)`,
    String.raw`(?<!typeof [\w.?]*)\.message [!=]== (?:"[^"]|'[^']|\x60[^\x60])`,
  ].join("|"),
  "g",
);

/** Messages are output: what another part needs is a field. */
export function findMessageMatching(files: readonly SourceFile[]): Fault[] {
  return files.filter(isProduct).flatMap(({ path, text }) =>
    [...text.matchAll(matching)].map(({ index, 0: found }): Fault => {
      const at = text.slice(0, index).split("\n").length;
      return { rule: "message", place: path, what: `line ${at} matches a message: ${found}; hand a field on` };
    }),
  );
}

const hookOfAll = /^(?:before|after)Each\(/gm;

/** Files of tests share a process: a hook outside of `describe` runs for the tests of all of them. */
export function findSharedHooks(files: readonly SourceFile[]): Fault[] {
  return files
    .filter(({ path, text }) => path.endsWith(".test.ts") && text.search(hookOfAll) >= 0)
    .map(({ path }) => ({
      rule: "hook",
      place: path,
      what: "has beforeEach or afterEach for every test of its process; put it inside describe()",
    }));
}

/** A Kubernetes object that is written out; a reference has no metadata. */
const writtenObject = /\bapiVersion: "[^"]+",\s*kind: "(\w+)",\s*metadata\b/g;

/** Every object of Kubernetes that a dialect creates comes from an emitter; its own kinds are its own. */
export function findWrittenObjects(files: readonly SourceFile[]): Fault[] {
  return files
    .filter((file) => isProduct(file) && file.path.startsWith("packages/dialects/"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(writtenObject)].map(([, kind]): Fault => {
        return {
          rule: "object",
          place: path,
          what: `writes a ${kind} by hand; plan it, and let core/emitters write it`,
        };
      }),
    );
}

/** Conditions that Kubernetes and its APIs have as well. */
const common = new Set(["Accepted", "Available", "Complete", "Degraded", "Failed", "Failure", "Progressing", "Ready"]);

/** An app that knows a condition of one dialect knows too much: the status guide of the dialect tells what it means. */
export function findConditionTypes(files: readonly SourceFile[], types: readonly string[]): Fault[] {
  const own = types.filter((type) => !common.has(type));
  const form = new RegExp(`"(${own.join("|")})"`);
  return files
    .filter((file) => isProduct(file) && file.path.startsWith("apps/"))
    .flatMap(({ path, text }) => {
      const type = form.exec(text)?.[1];
      if (type === undefined) return [];
      return [
        {
          rule: "condition",
          place: path,
          what: `knows condition ${type} of a dialect; read its status guide`,
        } as const,
      ];
    });
}
