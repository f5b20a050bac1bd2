import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { Field, Messages } from "./messages.ts";

/**
 * Writes `generated/messages.json`: field numbers, names and types of the protobuf messages of the Kubernetes API, read
 * from a Go module cache. Only facts of the wire are taken, no prose.
 *
 *   node generate.ts --modules <GOPATH>/pkg/mod/k8s.io --version v0.36.4
 */
const { values } = parseArgs({ options: { modules: { type: "string" }, version: { type: "string" } } });
if (values.modules === undefined || values.version === undefined) {
  throw new Error("say where the modules are: --modules <GOPATH>/pkg/mod/k8s.io --version v0.36.4");
}

const packages = [
  ..."admissionregistration apps authentication authorization autoscaling batch coordination core discovery events"
    .split(" ")
    .concat("networking node policy rbac scheduling storage certificates".split(" "))
    .map((group) => ["api", `${group}/v1`]),
  ["api", "autoscaling/v2"],
  ["apiextensions-apiserver", "pkg/apis/apiextensions/v1"],
  ["apimachinery", "pkg/apis/meta/v1"],
] as const;

const scalars: Record<string, string> = {
  string: "s",
  bool: "b",
  int32: "i",
  int64: "i",
  uint32: "i",
  double: "d",
  bytes: "y",
};

function readPackage(module: string, path: string): Messages {
  const folder = join(values.modules as string, `${module}@${values.version}`, path);
  const proto = stripComments(readFileSync(join(folder, "generated.proto"), "utf8"));
  const prefix = /^package (.+);$/m.exec(proto)?.[1] ?? "";
  const go = readdirSync(folder)
    .filter((file) => file.endsWith(".go") && !file.startsWith("zz_") && !file.endsWith(".pb.go"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const messages: Messages = {};
  for (const [, name = "", body = ""] of proto.matchAll(/^message (\w+) \{\n([^}]*)\}/gm)) {
    const tags = goTags(go, name);
    messages[`${prefix}.${name}`] = [...body.matchAll(/^ {2}(.+?) (\w+) = (\d+);$/gm)].map(
      ([, type = "", field = "", number]) =>
        fieldOf(Number(number), type, tags.get(field) ?? { json: field, keepsZero: false }, prefix),
    );
  }
  return messages;
}

interface Tag {
  json: string;
  keepsZero: boolean;
}

/** What the Go struct adds to the proto: the JSON name, inlining, and whether a zero is told from an absent value. */
function goTags(go: string, message: string): Map<string, Tag> {
  const body = new RegExp(`^type ${message} struct \\{\\n(.*?)^\\}`, "ms").exec(go)?.[1] ?? "";
  const tags = new Map<string, Tag>();
  for (const line of body.split("\n")) {
    const match = /^\s*(\w+\s+)?(\S+)\s+`json:"([^"]*)"[^`]* protobuf:"[^"]*name=(\w+)/.exec(line);
    if (match === null) continue;
    const [, , type = "", json = "", name = ""] = match;
    const [jsonName = "", ...options] = json.split(",");
    const isInline = options.includes("inline") || jsonName === "";
    tags.set(name, {
      json: isInline ? "" : jsonName,
      keepsZero: type.startsWith("*") || !options.includes("omitempty"),
    });
  }
  return tags;
}

function fieldOf(number: number, type: string, tag: Tag, prefix: string): Field {
  const map = /^map<string, (.+)>$/.exec(type);
  if (map !== null) return [number, tag.json, `{}${typeName(map[1] as string, prefix)}`];
  const [label = "", name = ""] = type.split(" ");
  const repeated = label === "repeated" ? "[]" : "";
  const zero = tag.keepsZero && repeated === "" && scalars[name] !== undefined ? "*" : "";
  return [number, tag.json, `${repeated}${zero}${typeName(name, prefix)}`];
}

function typeName(name: string, prefix: string): string {
  if (scalars[name] !== undefined) return scalars[name];
  return name.startsWith(".") ? name.slice(1) : `${prefix}.${name}`;
}

function stripComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*\n/gm, "")
    .replace(/\n\n+/g, "\n");
}

const messages = Object.assign({}, ...packages.map(([module, path]) => readPackage(module, path))) as Messages;
for (const name of Object.keys(messages))
  if (/List$/.test(basename(name)) && !name.includes(".meta.")) delete messages[name];
const lines = Object.keys(messages)
  .sort()
  .map((name) => `${JSON.stringify(name)}:${JSON.stringify(messages[name])}`);
writeFileSync(join(dirname(import.meta.filename), "generated", "messages.json"), `{\n${lines.join(",\n")}\n}\n`);
