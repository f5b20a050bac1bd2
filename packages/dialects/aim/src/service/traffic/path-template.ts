import { evaluateJsonPath, JsonPathError } from "@trivium/kube";
import { getOwn, type Json } from "@trivium/std";
import { faultOfPathTemplate } from "../../runtime-config/settings/path-template.ts";
import type { Service } from "../names/names.ts";

type RenderedPath = { readonly is: "path"; readonly path: string } | { readonly is: "faulty"; readonly why: string };

const longest = 200;
const faulty = (why: string): RenderedPath => ({ is: "faulty", why });

/** The path under which a service is reached: its template with fields of the service filled in, fit for a URL. */
export function renderPath(service: Service, template: string | undefined): RenderedPath {
  if (template === undefined) return finish(`/${service.metadata.namespace}/${service.metadata.uid}`);
  const fault = faultOfPathTemplate(template);
  if (fault !== undefined) return faulty(`Path template "${template.slice(0, longest)}" is not valid: ${fault}`);
  const faults: string[] = [];
  const filled = template.replace(/\{([^{}]*)\}/g, (_, expression: string) => {
    const value = readField(service, expression.trim());
    if (value.is === "faulty") faults.push(value.why);
    return value.is === "faulty" ? "" : value.text;
  });
  const [first] = faults;
  return first === undefined ? finish(filled) : faulty(first);
}

type Value = { readonly is: "text"; readonly text: string } | { readonly is: "faulty"; readonly why: string };

function readField(service: Service, expression: string): Value {
  const keyed = /^\$?\.metadata\.(labels|annotations)\[(['"])(.+)\2\]$/.exec(expression);
  if (keyed !== null) return entryOf(service, keyed[1] as "labels" | "annotations", keyed[3] ?? "");
  const path = expression.replace(/^\$/, "");
  const named = modelNames.includes(path) ? modelNameOf(service) : undefined;
  if (named !== undefined) return { is: "text", text: safeSegment(named.replaceAll("/", "-")) };
  let found: Json[];
  try {
    found = evaluateJsonPath(
      path.startsWith(".") || path.startsWith("[") ? path : `.${path}`,
      service as unknown as Json,
    );
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    return { is: "faulty", why: `Path template: {${expression}} is not a valid path: ${error.message}` };
  }
  if (found.length !== 1) {
    const why = found.length === 0 ? "is not set in this service" : "matches several values";
    return { is: "faulty", why: `Path template: {${expression}} ${why}; use one field that is set` };
  }
  const [value] = found;
  if (value === null || typeof value === "object")
    return { is: "faulty", why: `Path template: {${expression}} is not a single value; use one field inside it` };
  return { is: "text", text: safeSegment(String(value).replaceAll("/", "-")) };
}

/** Annotations may hold a path of several parts; everything else is one part. */
function entryOf({ metadata }: Service, where: "labels" | "annotations", key: string): Value {
  const value = getOwn(metadata[where], key);
  if (value === undefined) {
    const what = where === "labels" ? "label" : "annotation";
    return {
      is: "faulty",
      why: `The path template requires ${what} ${key}, which is not set on this service; set it, or change routing.pathTemplate`,
    };
  }
  return { is: "text", text: where === "annotations" ? value : safeSegment(value.replaceAll("/", "-")) };
}

/** Older documents name the model by fields that are objects now, or gone; they all give the name by which it is referred to. */
const modelNames: readonly string[] = [".spec.model", ".spec.aimModelName", ".spec.aimImageName", ".spec.modelName"];

function modelNameOf({ spec, status }: Service): string | undefined {
  const { model } = spec;
  return spec.aimImageName ?? model?.ref ?? model?.name ?? model?.image ?? status?.resolvedModel?.name;
}

function finish(filled: string): RenderedPath {
  const text = filled.trim();
  if (text === "") return faulty("The path template renders an empty path");
  if (text.length > longest) return faulty(`The path is longer than ${longest} characters: ${text.slice(0, 40)}…`);
  const segments = text
    .split("/")
    .map(safeSegment)
    .filter((segment) => segment !== "");
  return { is: "path", path: `/${segments.join("/")}` };
}

/** One part of a path: lower case, digits, single hyphens; dots stay between them. */
export function safeSegment(text: string): string {
  const plain = text.toLowerCase().replace(/[^a-z0-9.-]+/g, "-");
  return plain
    .replace(/\.\.+/g, "-")
    .replace(/-{2,}/g, "-")
    .replace(/^[-.]+/, "")
    .replace(/[-.]+$/, "");
}
