import { list, obj, opt, quantity, type SchemaOf, type Static, str } from "@trivium/schema";
import { env } from "./pod-fields.ts";
import { sourceUriPattern } from "./vocabulary.ts";

const sourceUri = () =>
  str(
    "Where the weights are fetched from: hf://organisation/model, s3://bucket/key, or file:///path of a file or folder of the node that the operator allows",
    { pattern: sourceUriPattern },
  );
const size = () => opt(quantity("Room the weights need; measured before the download when left out"));
const sourceEnv = () => opt(env("Variables for fetching this source only, such as HF_TOKEN or AWS_ENDPOINT_URL"));

const modelSource = obj("One set of weights", {
  name: opt(str("Short name of these weights; may be left out for the main model")),
  modelId: opt(
    str(
      "Identity organisation/name of these weights; decides the folder they are mounted at. Taken from name or sourceUri when left out",
    ),
  ),
  sourceUri: sourceUri(),
  size: size(),
  env: sourceEnv(),
});

/** Weights that a template needs, or that discovery found it to need. */
export type ModelSources = Static<typeof modelSource>[];
export const modelSources = (description: string): SchemaOf<ModelSources> => list(description, modelSource);

const customSource = obj("Where one set of weights of a custom model comes from", {
  modelId: str("Identity organisation/name of these weights; decides the folder they are mounted at", {
    pattern: "^[a-zA-Z0-9_-]+/[a-zA-Z0-9._-]+$",
  }),
  sourceUri: sourceUri(),
  size: size(),
  env: sourceEnv(),
});

/** Weights of a model that has no container image of its own. */
export type CustomSources = Static<typeof customSource>[];
export const customSources = (description: string): SchemaOf<CustomSources> =>
  list(description, customSource, { minItems: 1, maxItems: 16 });
