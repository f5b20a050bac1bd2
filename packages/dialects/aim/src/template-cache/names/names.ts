import type { ObjectOf } from "@trivium/kube";
import type { AIMTemplateCache } from "../../kinds/template-cache.ts";

export type TemplateCache = ObjectOf<typeof AIMTemplateCache>;
export type TemplateCacheStatus = NonNullable<TemplateCache["status"]>;

export const templateNameOf = ({ spec }: TemplateCache): string => spec.templateRef ?? spec.templateName ?? "";
export const modeOf = ({ spec }: TemplateCache): "Shared" | "Dedicated" => spec.mode ?? "Shared";
