import { formatBackend, type ServedModel } from "@trivium/domain";

export type ModelLookup =
  | { readonly is: "found"; readonly model: ServedModel }
  | { readonly is: "unknown" }
  /** Several have the name; these names mean one of them each. */
  | { readonly is: "ambiguous"; readonly names: readonly string[] };

/** By what a name was found; the stronger wins, and only equals are ambiguous. */
const strengths = ["service", "alias", "adapter", "listed"] as const;
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
      adapter: this.#index(({ adapters = [] }) => adapters.map(({ name }) => name)),
      listed: this.#index(({ listed = [] }) => listed),
    };
  }

  find(name: string): ModelLookup {
    const plain = this.#find(name);
    const slash = name.lastIndexOf("/");
    if (plain.is !== "unknown" || slash < 1) return plain;
    // The same name can be an adapter of several services: `service/adapter` and `namespace/service/adapter` mean one.
    const service = this.#find(name.slice(0, slash));
    return service.is === "found" && hasName(service.model, name.slice(slash + 1)) ? service : plain;
  }

  /** With or without a namespace before it. */
  #find(name: string): ModelLookup {
    // A Service of another namespace can name any alias: what is called `namespace/service` is that Service first.
    const exact = this.#byService.get(name);
    if (exact !== undefined) return { is: "found", model: exact };
    const whole = this.#among(name, () => true);
    const slash = name.indexOf("/");
    if (whole.is !== "unknown" || slash < 1) return whole;
    const namespace = name.slice(0, slash);
    return this.#among(name.slice(slash + 1), ({ backend }) => backend.namespace === namespace);
  }

  #among(name: string, isMeant: (model: ServedModel) => boolean): ModelLookup {
    for (const strength of strengths) {
      const models = (this.#byName[strength].get(name) ?? []).filter(isMeant);
      const [model] = models;
      if (model === undefined) continue;
      if (models.length === 1) return { is: "found", model };
      const names = models.map((one) => (strength === "adapter" ? `${keyOf(one)}/${name}` : keyOf(one)));
      return { is: "ambiguous", names };
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

const hasName = ({ adapters = [], listed = [] }: ServedModel, wanted: string): boolean =>
  listed.includes(wanted) || adapters.some(({ name }) => name === wanted);

const keyOf = ({ backend }: ServedModel): string => `${backend.namespace}/${backend.service}`;

export type UpstreamModel =
  /** The name to send to the server, and the number of the adapter that it must use for the request. */
  | { readonly is: "known"; readonly name: string; readonly adapter?: number }
  /** An adapter that the server does not have: another engine stands in for the one of the image, or it failed to load. */
  | { readonly is: "unloaded"; readonly adapter: string };

/** What the server of a model is asked for: the requested name where it lists that or nothing is known of it. */
export function resolveUpstream(model: ServedModel, requested: string): UpstreamModel {
  const { listed = [] } = model;
  const names = [
    requested,
    afterSlash(requested, requested.indexOf("/")),
    afterSlash(requested, requested.lastIndexOf("/")),
  ];
  const own = names.find((name) => listed.includes(name));
  if (own !== undefined) return { is: "known", name: own };
  const adapter = findAdapter(model, names);
  const base = listed.length === 0 ? requested : baseName(model);
  if (adapter === undefined) return { is: "known", name: base };
  if (adapter.id !== undefined) return { is: "known", name: base, adapter: adapter.id };
  return listed.length === 0 ? { is: "known", name: requested } : { is: "unloaded", adapter: adapter.name };
}

const afterSlash = (name: string, at: number): string => name.slice(at + 1);

/** Names of the service and its aliases mean the model itself. */
function findAdapter({ adapters = [], aliases, backend }: ServedModel, names: readonly string[]) {
  if (names.some((name) => name === backend.service || aliases.includes(name))) return undefined;
  return adapters.find(({ name }) => names.includes(name));
}

const baseName = ({ listed = [], aliases }: ServedModel): string =>
  aliases.find((alias) => listed.includes(alias)) ?? (listed[0] as string);

/** Every name that a request can use for a model now; adapters only where its server has them. */
export function listNames(model: ServedModel): string[] {
  const { aliases, listed = [], adapters = [] } = model;
  const numbered = adapters.flatMap(({ name, id }) => (id === undefined ? [] : [name]));
  return [...new Set([...aliases, ...numbered, ...listed])];
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

/** For messages: what there is and can serve, cut where it would not be read. */
export function summarizeModels(
  directory: ModelDirectory,
  canServe: (model: ServedModel) => boolean = () => true,
  most = 20,
): string {
  const offered = directory.models.filter((model) => isOffered(model) && canServe(model));
  const names = offered.map((model) => shownName(directory, model));
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown || "none";
}

export const formatModel = (model: ServedModel): string => formatBackend(model.backend);
