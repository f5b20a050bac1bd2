import type { api } from "@trivium/kube";
import { traits } from "../traits.ts";

/** Names and wire form only: what a CRD brings about, and whether its schema is sound, is the business of `crd/`. */
export const customResourceDefinition = traits<api.CustomResourceDefinition>({
  hasGeneration: true,
  defaults: ({ spec }) => {
    const { names } = spec;
    if (names) {
      names.singular ||= (names.kind ?? "").toLowerCase();
      names.listKind ||= names.kind ? `${names.kind}List` : "";
    }
    spec.conversion ??= { strategy: "None" };
    if (spec.conversion.webhook?.clientConfig?.service) spec.conversion.webhook.clientConfig.service.port ??= 443;
  },
  prepareForCreate: (object) => {
    const stored = (object.spec.versions ?? []).find((version) => version.storage)?.name;
    object.status = { storedVersions: stored === undefined ? [] : [stored] };
  },
});
