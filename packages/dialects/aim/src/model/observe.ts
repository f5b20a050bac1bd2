import type { ImageReport, RegistryRefusal } from "@trivium/domain";
import { parseImageReference } from "@trivium/engines";
import type { Kind } from "@trivium/kube";
import type { Look } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { imageReads, observeImage, observeSecrets, type SecretSeen, secretsOfAccount } from "../images/observe-image.ts";
import { labels } from "../labels.ts";
import type { Model, Template } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import { firstAccount, unionSecrets } from "../runtime-config/pull-secrets.ts";
import {
  observeRuntimeConfig,
  type RuntimeConfigSeen,
  resolveRuntimeConfig,
  runtimeConfigKinds,
} from "../runtime-config/resolve.ts";
import { wantsInspection } from "./discovery-wish.ts";

/** One of the four kinds that mean a model. */
export interface ModelScope {
  readonly name: string;
  readonly kind: Kind<Model>;
  readonly templates: Kind<Template>;
  /** The kind whose object of the same name hides this one. */
  readonly hiddenBy?: Kind<Model>;
}

export interface ModelSeen {
  readonly config: RuntimeConfigSeen;
  readonly namesake?: Fact<true>;
  /** Those that the model names itself. */
  readonly secrets: readonly SecretSeen[];
  /** Asked only where the labels are wanted. */
  readonly image?: Fact<ImageReport | RegistryRefusal>;
  /** Templates that belong to the model. */
  readonly templates: readonly TemplateSeen[];
}

export interface TemplateSeen {
  readonly name: string;
  readonly state: string;
}

export const modelReads = [...runtimeConfigKinds, ...imageReads] as const;

export function observeModel(
  model: Model,
  look: Look,
  { scope, options }: { scope: ModelScope; options: AimOptions },
): ModelSeen {
  const namespace = model.metadata.namespace ?? options.operatorNamespace;
  const { name = "", uid = "" } = model.metadata;
  const config = observeRuntimeConfig(look, { name: model.spec.runtimeConfigName, namespace });
  const secrets = observeSecrets(look, namespace, model.spec.imagePullSecrets ?? []);
  const templates = uid === "" ? [] : look.list(scope.templates, { owner: uid });
  return {
    config,
    ...(scope.hiddenBy === undefined
      ? {}
      : { namesake: presence(look.get(scope.hiddenBy, { namespace: model.metadata.namespace, name })) }),
    secrets,
    ...observeLabels(model, look, { config, secrets, namespace, options }),
    templates: templates.flatMap(templateSeen).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

const presence = (fact: Fact<unknown>): Fact<true> => (fact.is === "known" ? known(true) : fact);

function templateSeen({ metadata, status }: Template): TemplateSeen[] {
  if (metadata.labels?.[labels.derivedTemplate] === "true") return [];
  return [{ name: metadata.name ?? "", state: status?.status ?? "Pending" }];
}

interface LabelContext {
  readonly config: RuntimeConfigSeen;
  readonly secrets: readonly SecretSeen[];
  readonly namespace: string;
  readonly options: AimOptions;
}

function observeLabels(model: Model, look: Look, context: LabelContext): Pick<ModelSeen, "image"> {
  const { secrets, namespace, options } = context;
  const config = resolveRuntimeConfig(context.config);
  const reference = parseImageReference(model.spec.image);
  if (config.is !== "resolved" || reference === undefined) return {};
  if (!wantsInspection(model, config.settings) || secrets.some(({ is }) => is !== "there")) return {};
  const { settings } = config;
  const account = firstAccount(model.spec.serviceAccountName, settings.serviceAccountName);
  const others = unionSecrets(settings.imagePullSecrets, secretsOfAccount(look, namespace, account));
  const all = [...secrets, ...observeSecrets(look, namespace, others)];
  return { image: observeImage(look, reference, { namespace, secrets: all, platform: options.platform }) };
}
