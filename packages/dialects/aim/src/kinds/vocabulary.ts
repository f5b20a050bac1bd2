import { type Keywords, oneOf, type Rule, type SchemaOf } from "@trivium/schema";

/** The words that several kinds use for the same choice. */
export const metrics = ["latency", "throughput"] as const;
/** The eight values are accepted everywhere, although one page of the documents lists fewer. */
export const precisions = ["auto", "fp4", "fp8", "fp16", "fp32", "bf16", "int4", "int8"] as const;
export const profileTypes = ["optimized", "preview", "unoptimized"] as const;
export const scopes = ["Namespace", "Cluster", "Merged", "Unknown"] as const;

export type Metric = (typeof metrics)[number];
export type Precision = (typeof precisions)[number];
type ProfileType = (typeof profileTypes)[number];
export type Scope = (typeof scopes)[number];

export const metric = (description: string, keywords?: Keywords): SchemaOf<Metric> =>
  oneOf(description, metrics, keywords);
export const precision = (description: string, keywords?: Keywords): SchemaOf<Precision> =>
  oneOf(description, precisions, keywords);
export const profileType = (description: string, keywords?: Keywords): SchemaOf<ProfileType> =>
  oneOf(description, profileTypes, keywords);
export const scope = (description: string): SchemaOf<Scope> => oneOf(description, scopes);

/** Fires only when the field is there before and after: a value that was left out may still be set. */
export const immutable = (field: string): { rules: Rule[] } => ({
  rules: [{ rule: "self == oldSelf", message: `${field} is immutable` }],
});

/** Two spellings of one field: either will do, but they must not disagree. */
export const sameValue = (one: string, other: string): Rule => ({
  rule: `!has(self.${one}) || !has(self.${other}) || self.${one} == self.${other}`,
  message: `${one} and ${other} are the same field and must not differ`,
});

/** Schemes that model weights can be fetched from. */
/** What an image may name: never a file of a node. */
export const remoteUriPattern = "^(hf|s3)://[^ \\t\\r\\n]+$";
/** What people may name, too: a file of the node, in folders that the operator allows. */
export const sourceUriPattern = "^((hf|s3)://|file:///)[^ \\t\\r\\n]+$";
