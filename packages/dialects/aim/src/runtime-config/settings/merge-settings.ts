import type { EnvVars, SecretReferences } from "../../kinds/pod-fields.ts";
import type { RuntimeConfigSpec } from "../../objects.ts";
import { unionSecrets } from "./pull-secrets.ts";

type Routing = Omit<NonNullable<RuntimeConfigSpec["routing"]>, "routeTemplate">;

type AccessMode = NonNullable<NonNullable<RuntimeConfigSpec["storage"]>["accessModes"]>[number];

/** What a runtime config says, with one spelling for each thing. What is missing was said nowhere. */
export interface Settings {
  readonly storageClassName?: string;
  readonly headroomPercent?: number;
  readonly accessMode?: AccessMode;
  /** Most that all claims of a namespace may take together, as a quantity. */
  readonly maxCacheBytes?: string;
  readonly routing: Routing;
  readonly labelPropagation?: NonNullable<RuntimeConfigSpec["labelPropagation"]>;
  readonly model: NonNullable<RuntimeConfigSpec["model"]>;
  readonly env: EnvVars;
  readonly serviceAccountName?: string;
  readonly imagePullSecrets: SecretReferences;
}

export const noSettings: Settings = { routing: {}, model: {}, env: [], imagePullSecrets: [] };

/** Reads one layer: a config, or the fields of a service that override it. */
export function settingsOf(spec: RuntimeConfigSpec): Settings {
  const { storage, routing: { routeTemplate, ...routing } = {}, labelPropagation, serviceAccountName } = spec;
  const storageClassName = storage?.defaultStorageClassName ?? spec.defaultStorageClassName;
  const headroomPercent = storage?.pvcHeadroomPercent ?? spec.pvcHeadroomPercent;
  const [accessMode] = storage?.accessModes ?? [];
  const { maxCacheBytes } = storage ?? {};
  const pathTemplate = routing.pathTemplate ?? routeTemplate;
  return {
    ...(storageClassName === undefined ? {} : { storageClassName }),
    ...(headroomPercent === undefined ? {} : { headroomPercent }),
    ...(accessMode === undefined ? {} : { accessMode }),
    ...(maxCacheBytes === undefined ? {} : { maxCacheBytes: String(maxCacheBytes) }),
    routing: { ...routing, ...(pathTemplate === undefined ? {} : { pathTemplate }) },
    ...(labelPropagation === undefined ? {} : { labelPropagation }),
    model: spec.model ?? {},
    env: spec.env ?? [],
    ...(serviceAccountName ? { serviceAccountName } : {}),
    imagePullSecrets: spec.imagePullSecrets ?? [],
  };
}

/**
 * Lays one layer over another. What is said wins over what is not, `false` and `0` included; annotations and variables are laid over each
 * other one by one. A reference to a Gateway and the rule for labels are each one thing.
 */
export function mergeSettings(lower: Settings, upper: Settings): Settings {
  const annotations = { ...lower.routing.annotations, ...upper.routing.annotations };
  return {
    ...lower,
    ...upper,
    routing: {
      ...lower.routing,
      ...upper.routing,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    model: { ...lower.model, ...upper.model },
    env: [...lower.env.filter(({ name }) => !upper.env.some((one) => one.name === name)), ...upper.env],
    imagePullSecrets: unionSecrets(upper.imagePullSecrets, lower.imagePullSecrets),
  };
}
