import { getOwn } from "@trivium/std";
import { notAcceptable } from "../refusals.ts";

/** How a caller wants objects shown. */
export interface Form {
  readonly as: "object" | "table" | "partial" | "partial-list";
  readonly encoding: "json" | "yaml";
  /** Of the `meta.k8s.io` group, for tables and partial objects. */
  readonly metaVersion: "v1" | "v1beta1";
}

const plain: Form = { as: "object", encoding: "json", metaVersion: "v1" };
const available = "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml";
const accepted = "only the following media types are accepted: application/json, application/yaml";
const asWords: Readonly<Record<string, Form["as"]>> = {
  "": "object",
  Table: "table",
  PartialObjectMetadata: "partial",
  PartialObjectMetadataList: "partial-list",
};

const seen = new Map<string, Form>();

/** The first form in an `Accept` header that we can give. */
export function negotiate(accept: string | undefined): Form {
  if (accept === undefined || accept === "" || accept === "application/json" || accept === "*/*") return plain;
  const known = seen.get(accept);
  if (known !== undefined) return known;
  const form = accept
    .split(",")
    .map(parseClause)
    .find((one) => one !== undefined);
  if (form === undefined) {
    const isKnown = accept.split(",").some((clause) => encodingOf(mediaOf(clause)) !== undefined);
    throw isKnown ? notAcceptable(accepted) : notAcceptable(available, {});
  }
  if (seen.size < 200) seen.set(accept, form);
  return form;
}

function parseClause(clause: string): Form | undefined {
  const [media = "", ...parameters] = clause.split(";").map((part) => part.trim());
  const encoding = encodingOf(media.toLowerCase());
  if (encoding === undefined) return undefined;
  const value = (name: string) => parameters.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  if (value("q") === "0") return undefined;
  const as = getOwn(asWords, value("as"));
  if (as === undefined) return undefined;
  if (as === "object") return { ...plain, encoding };
  const version = value("v");
  if (value("g") !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  return { as, encoding, metaVersion: version };
}

const mediaOf = (clause: string): string => clause.split(";", 1)[0]?.trim().toLowerCase() ?? "";

function encodingOf(media: string): Form["encoding"] | undefined {
  if (media === "application/yaml") return "yaml";
  return ["application/json", "application/*", "*/*"].includes(media) ? "json" : undefined;
}
