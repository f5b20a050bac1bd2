import { isObject, type Json, type JsonObject } from "@trivium/std";
import { modelReasons } from "../reasons/serving.ts";

/** Types of conditions that are called otherwise in the newer group, by their older names. */
export type RenamedConditions = Readonly<Record<string, string>>;

/** Conditions that the newer group derives from other fields of the status. */
const derivedTypes = ["ModelReady", "TemplateReady"];

const conditionsOf = ({ conditions }: JsonObject): JsonObject[] =>
  Array.isArray(conditions) ? conditions.filter(isObject) : [];

const withConditions = (status: JsonObject, by: (conditions: JsonObject[]) => JsonObject[]): JsonObject =>
  status.conditions === undefined ? status : { ...status, conditions: by(conditionsOf(status)) };

const renameTypes = (status: JsonObject, nameOf: (type: Json) => Json): JsonObject =>
  withConditions(status, (all) => all.map((one) => ({ ...one, type: nameOf(one.type ?? "") })));

export const newerTypes = (status: JsonObject, names: RenamedConditions): JsonObject =>
  renameTypes(status, (type) => names[String(type)] ?? type);

export function olderTypes(status: JsonObject, names: RenamedConditions): JsonObject {
  const older = new Map(Object.entries(names).map(([one, other]) => [other, one]));
  const kept = withConditions(status, (all) => all.filter(({ type }) => !derivedTypes.includes(String(type))));
  return renameTypes(kept, (type) => older.get(String(type)) ?? type);
}

/** Whether the model and the template of a service are found and can serve, as conditions of their own. */
export function deriveServiceConditions(status: JsonObject): JsonObject {
  const ready = conditionsOf(status).find(({ type }) => type === "Ready");
  const resolved = conditionsOf(status).find(({ type }) => type === "Resolved");
  if (ready === undefined) return status;
  const isTemplateFound = hasName(status.resolvedTemplate);
  const isModelFound = isTemplateFound || (hasName(status.resolvedModel) && !isAboutModel(ready));
  const cause = resolved?.status === "False" ? resolved : ready;
  return withConditions(status, (all) => [
    ...all,
    isModelFound ? fine(ready, "ModelReady", modelFound) : failing(cause, "ModelReady"),
    ...(isModelFound
      ? [isTemplateFound ? fine(ready, "TemplateReady", templateFound) : failing(cause, "TemplateReady")]
      : []),
  ]);
}

const modelFound = { reason: "ModelResolved", message: "The model is ready" };
const templateFound = { reason: "Resolved", message: "The template is ready" };

const hasName = (reference: Json | undefined): boolean => isObject(reference) && typeof reference.name === "string";
const isAboutModel = ({ reason, status }: JsonObject): boolean =>
  status !== "True" && modelReasons.some((one) => one === reason);

const fine = ({ observedGeneration }: JsonObject, type: string, found: typeof modelFound): JsonObject => ({
  type,
  status: "True",
  ...found,
  ...(observedGeneration === undefined ? {} : { observedGeneration }),
});

/** With the cause and the remedy of the condition that has them. */
const failing = (cause: JsonObject, type: string): JsonObject => {
  const { lastTransitionTime: _, ...rest } = cause;
  return { ...rest, type, status: "False" };
};
