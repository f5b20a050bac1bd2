import { type Hardware, hardwareRequestOf } from "../../hardware/hardware-request.ts";
import type { EnvVars } from "../../kinds/pod-fields.ts";
import { labels } from "../../labels.ts";
import { hashOf, labelValueOf, objectNameBefore, sanitizeName } from "../../names.ts";
import type { Model } from "../../objects.ts";
import { mergeEnv } from "../../runtime-config/settings/merge-env.ts";
import type { TemplatePlan } from "./template-plan.ts";

type CustomTemplate = NonNullable<Model["spec"]["customTemplates"]>[number];

/** Templates that a model states itself, under either spelling; a model with weights of its own and none stated gets one. */
export function planCustomTemplates(model: Model): TemplatePlan[] {
  const { custom, customTemplates = [], modelSources = [] } = model.spec;
  const stated = [...(custom?.templates ?? []), ...customTemplates];
  const isCustom = modelSources.length > 0;
  const templates = stated.length === 0 && isCustom ? [{}] : stated;
  return templates.map((template, index) => planOne(model, template, index));
}

function planOne(model: Model, template: CustomTemplate, index: number): TemplatePlan {
  const { spec } = model;
  const hardware = mergeHardware(spec.custom?.hardware, template.hardware);
  const { metric, precision } = template.profile ?? {};
  const env = asStated(mergeEnv(spec.env, template.env), [...(spec.env ?? []), ...(template.env ?? [])]);
  const cpu = hardware?.cpu;
  return {
    name: nameOf(model, template, { index, hardware }),
    labels: {
      [labels.customModel]: "true",
      ...(template.name ? { [labels.templateAlias]: labelValueOf(template.name) } : {}),
    },
    spec: {
      ...(metric === undefined ? {} : { metric }),
      ...(precision === undefined ? {} : { precision }),
      ...(hardware === undefined ? {} : { hardware }),
      ...(spec.modelSources === undefined ? {} : { modelSources: spec.modelSources.map((source) => ({ ...source })) }),
      type: template.type ?? spec.custom?.type ?? "unoptimized",
      ...(env.length === 0 ? {} : { env }),
      ...(cpu === undefined ? {} : { resources: cpuResources(cpu) }),
    },
  };
}

/** Variables in the order in which people have written them; pods get them in the order of their use. */
function asStated(merged: EnvVars, stated: EnvVars): EnvVars {
  const names = [...new Set(stated.map(({ name }) => name))];
  return names.flatMap((name) => merged.find((one) => one.name === name) ?? []);
}

/** Each field of the template's hardware wins over the model's. */
function mergeHardware(lower: Hardware | undefined, upper: Hardware | undefined): Hardware | undefined {
  if (lower === undefined || upper === undefined) return upper ?? lower;
  const [gpu, cpu] = [
    { ...lower.gpu, ...upper.gpu },
    { ...lower.cpu, ...upper.cpu },
  ];
  return {
    ...(lower.gpu || upper.gpu ? { gpu } : {}),
    ...(cpu.requests === undefined ? {} : { cpu: { ...cpu, requests: cpu.requests } }),
  };
}

const cpuResources = ({ requests, limits }: NonNullable<Hardware["cpu"]>) => ({
  requests: { cpu: requests },
  ...(limits === undefined ? {} : { limits: { cpu: limits } }),
});

function nameOf(
  model: Model,
  { name = "", profile }: CustomTemplate,
  { index, hardware }: { index: number; hardware: Hardware | undefined },
): string {
  const { metric = "", precision = "" } = profile ?? {};
  const { count = 0, models } = hardwareRequestOf({ hardware });
  const gpu = models.join("-");
  const base = model.metadata.name ?? "";
  const hash = hashOf([base, index, name, precision, metric, count, gpu]).slice(0, 8);
  const words = ["custom", name, precision, gpu].map((word) => sanitizeName(word, 20)).filter((word) => word !== "");
  return objectNameBefore(base, `-${[...words, hash].join("-").slice(-56)}`);
}
