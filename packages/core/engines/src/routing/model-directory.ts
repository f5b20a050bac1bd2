import { formatBackend, type ServedModel } from "@trivium/domain";

export type ModelLookup =
  | { readonly is: "found"; readonly model: ServedModel }
  | { readonly is: "unknown" }
  | { readonly is: "ambiguous"; readonly models: readonly ServedModel[] };

/** By what a name was found; the stronger wins, and only equals are ambiguous. */
const strengths = ["service", "alias", "listed"] as const;
type Strength = (typeof strengths)[number];

/** Finds the Service that a request means by `model`. */
export class ModelDirectory {
  readonly models: readonly ServedModel[];
  readonly #byName: Readonly<Record<Strength, ReadonlyMap<string, readonly ServedModel[]>>>;
  readonly #byService = new Map<string, ServedModel>();

  constructor(models: readonly ServedModel[]) {
    this.models = models.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    for (const model of this.models) this.#byService.set(keyOf(model), model);
    this.#byName = {
      service: this.#index(({ backend }) => [backend.service]),
      alias: this.#index(({ aliases }) => aliases),
      listed: this.#index(({ listed = [] }) => listed),
    };
  }

  find(name: string): ModelLookup {
    const whole = this.#among(name, () => true);
    if (whole.is !== "unknown") return whole;
    const slash = name.indexOf("/");
    if (slash < 1) return whole;
    const namespace = name.slice(0, slash);
    const exact = this.#byService.get(name);
    if (exact !== undefined) return { is: "found", model: exact };
    return this.#among(name.slice(slash + 1), ({ backend }) => backend.namespace === namespace);
  }

  #among(name: string, isMeant: (model: ServedModel) => boolean): ModelLookup {
    for (const strength of strengths) {
      const models = (this.#byName[strength].get(name) ?? []).filter(isMeant);
      const [model] = models;
      if (model === undefined) continue;
      return models.length === 1 ? { is: "found", model } : { is: "ambiguous", models };
    }
    return { is: "unknown" };
  }

  #index(namesOf: (model: ServedModel) => readonly string[]): Map<string, ServedModel[]> {
    const index = new Map<string, ServedModel[]>();
    for (const model of this.models) {
      for (const name of new Set(namesOf(model))) {
        const found = index.get(name);
        if (found === undefined) index.set(name, [model]);
        else addOrReplaceTwin(found, model);
      }
    }
    return index;
  }
}

/** Two Services of the same pods are one model; the headless one gives way. */
function addOrReplaceTwin(models: ServedModel[], model: ServedModel): void {
  const twin = models.findIndex(
    ({ pods, backend }) => pods === model.pods && backend.namespace === model.backend.namespace,
  );
  if (twin === -1) models.push(model);
  else if (models[twin]?.isHeadless && !model.isHeadless) models[twin] = model;
}

const keyOf = ({ backend }: ServedModel): string => `${backend.namespace}/${backend.service}`;

/** The name to ask the model's own server for: the requested one where the server lists it or nothing is known of it. */
export function upstreamName(model: ServedModel, requested: string): string {
  const { listed = [], aliases } = model;
  if (listed.length === 0 || listed.includes(requested)) return requested;
  const bare = requested.slice(requested.indexOf("/") + 1);
  if (listed.includes(bare)) return bare;
  return aliases.find((alias) => listed.includes(alias)) ?? (listed[0] as string);
}

/** The name under which a model is shown: one that finds it again. */
export function shownName(directory: ModelDirectory, model: ServedModel): string {
  for (const name of [...model.aliases, model.backend.service]) {
    const found = directory.find(name);
    if (found.is === "found" && found.model === model) return name;
  }
  return keyOf(model);
}

/** Whether a Service is known to serve models: a person or a controller says so, or its own list does. */
export const isOffered = ({ aliases, listed = [] }: ServedModel): boolean => aliases.length > 0 || listed.length > 0;

/** For messages: what there is, cut where it would not be read. */
export function summarizeModels(directory: ModelDirectory, most = 20): string {
  const names = directory.models.filter(isOffered).map((model) => shownName(directory, model));
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown || "none";
}

export const formatModel = (model: ServedModel): string => formatBackend(model.backend);
