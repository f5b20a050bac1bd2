import type { CustomResourceDefinition as CrdObject } from "../define.ts";
import { CustomResourceDefinition as kind } from "../generated/kinds.ts";
import type { Kind } from "../kind.ts";

export { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "../generated/kinds.ts";

/** The hand-written type goes before the generated one: it is what `emitCrd` gives, with real schemas inside. */
export type CustomResourceDefinition = CrdObject;
export const CustomResourceDefinition: Kind<CrdObject> = kind as Kind<never>;
