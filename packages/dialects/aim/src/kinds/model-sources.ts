import { list, obj, opt, quantity, type SchemaOf, type Static, str } from "@trivium/schema";
import { env } from "./pod-fields.ts";
import { sourceUriPattern } from "./vocabulary.ts";

const sourceUri = () =>
  str(
    "Source of the weights: hf://organization/model, s3://bucket/key, or file:///path for a file or directory on the node that the operator allows",
    { pattern: sourceUriPattern },
  );
const size = () => opt(quantity("Size of the weights; resolved before the download if omitted"));
const sourceEnv = () =>
  opt(env("Environment variables for downloading this source only, such as HF_TOKEN or AWS_ENDPOINT_URL"));

const modelSource = obj("One set of weights", {
  name: opt(str("Short name of the weights; optional for the main model")),
  modelId: opt(
    str(
      "Identifier of the weights, organization/name; determines the directory where they are mounted. Defaults to the one in name or sourceUri",
    ),
  ),
  sourceUri: sourceUri(),
  size: size(),
  env: sourceEnv(),
});

/** Weights that a template needs, or that discovery found it to need. */
export type ModelSources = Static<typeof modelSource>[];
export const modelSources = (description: string): SchemaOf<ModelSources> => list(description, modelSource);

const customSource = obj("Source of one set of weights of a custom model", {
  modelId: str("Identifier of the weights, organization/name; determines the directory where they are mounted", {
    pattern: "^[a-zA-Z0-9_-]+/[a-zA-Z0-9._-]+$",
  }),
  sourceUri: sourceUri(),
  size: size(),
  env: sourceEnv(),
});

/** Weights of a model that has no container image of its own. */
type CustomSources = Static<typeof customSource>[];
export const customSources = (description: string): SchemaOf<CustomSources> =>
  list(description, customSource, { minItems: 1, maxItems: 16 });
