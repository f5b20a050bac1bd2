import type { JobPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import { hardwareRequestOf } from "../../hardware/hardware-request.ts";
import type { EnvVars, SecretReferences } from "../../kinds/pod-fields.ts";
import { labels } from "../../labels.ts";
import { hashOf, labelValueOf, nameBefore } from "../../names.ts";
import type { Template } from "../../objects.ts";
import { mergeEnv } from "../../runtime-config/settings/merge-env.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { propagateLabels } from "../../runtime-config/settings/propagate-labels.ts";
import { firstAccount, unionSecrets } from "../../runtime-config/settings/pull-secrets.ts";

/** The model that a template runs, as far as a template cares. */
export interface ModelFacts {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly image: string;
  /** What its tag leads to, where the registry said. */
  readonly digest?: string;
  readonly imagePullSecrets: SecretReferences;
  readonly serviceAccountName?: string;
}

/** Everything that decides what a dry run of the image says. */
export interface DiscoveryPlan {
  readonly image: string;
  readonly model: string;
  readonly env: EnvVars;
  readonly imagePullSecrets: SecretReferences;
  readonly serviceAccountName?: string;
  /** The same for the same question to the image. */
  readonly hash: string;
}

export const discoveryLabels = {
  [labels.name]: "aim-discovery",
  [labels.component]: "discovery-job",
  [labels.managedBy]: "aim-controller",
} as const;

export const discoveryContainer = "discovery";

export function planDiscovery(template: Template, model: ModelFacts, settings: Settings): DiscoveryPlan {
  const { spec } = template;
  const env = mergeEnv(quiet, spec.env, inputOf(template));
  const imagePullSecrets = unionSecrets(spec.imagePullSecrets, model.imagePullSecrets, settings.imagePullSecrets);
  const account = firstAccount(spec.serviceAccountName, model.serviceAccountName, settings.serviceAccountName);
  const secrets = imagePullSecrets.map(({ name }) => name).sort();
  return {
    image: model.image,
    model: model.name,
    env,
    imagePullSecrets,
    ...(account === undefined ? {} : { serviceAccountName: account }),
    hash: hashOf([model.name, model.image, account ?? "", env, secrets]).slice(0, 16),
  };
}

/** Nothing but the result is to be printed. */
const quiet: EnvVars = [
  { name: "AIM_LOG_LEVEL", value: "CRITICAL" },
  { name: "AIM_LOG_LEVEL_ROOT", value: "CRITICAL" },
];

function inputOf({ spec }: Template): EnvVars {
  const { count, models } = hardwareRequestOf(spec);
  const asked: readonly [string, string | number | undefined][] = [
    ["AIM_METRIC", spec.metric],
    ["AIM_PRECISION", spec.precision],
    ["AIM_GPU_MODEL", models[0]],
    ["AIM_GPU_COUNT", count],
    ["AIM_PROFILE_ID", spec.profileId],
  ];
  return asked.flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [{ name, value: String(value) }],
  );
}

/** Each try has a name of its own, because a Job runs only once; and so has each image that a tag is moved to. */
export function discoveryJobName(
  { metadata }: Template,
  { hash }: DiscoveryPlan,
  { attempts, moved }: { readonly attempts: number; readonly moved?: string | undefined },
): string {
  const reported = [...(moved === undefined ? [] : [moved]), ...(attempts === 0 ? [] : [attempts])];
  const digits = reported.length === 0 ? hash.slice(0, 8) : hashOf([hash, ...reported]).slice(0, 8);
  return nameBefore(`discover-${metadata.name}`, `-${digits}`);
}

/** Nodes keep images by their tag, so one that was moved is named by what it leads to now. */
export const movedImage = (image: string, digest: string): string =>
  image.includes("@") ? image : `${image}@${digest}`;

const nobody = 65_532;
const keptFor = 60;
/** Images are large, and slow to come; but not for ever. */
const longest = 1_800;

interface JobPlace {
  readonly name: string;
  readonly namespace: string;
  readonly settings: Settings;
  /** Where it is not the one of the plan. */
  readonly image?: string;
  /** What the quotas of the namespace want to see. */
  readonly resources?: api.ResourceRequirements | undefined;
}

/** A dry run of the image: it needs no GPU, no rights and little time. */
export function planDiscoveryJob(
  template: Template,
  plan: DiscoveryPlan,
  { name, namespace, settings, image = plan.image, resources }: JobPlace,
): JobPlan {
  const own = propagateLabels(settings, template.metadata.labels, {
    ...discoveryLabels,
    [labels.template]: labelValueOf(template.metadata.name ?? ""),
    [labels.modelId]: labelValueOf(plan.model),
  });
  return {
    name,
    namespace,
    labels: own,
    retries: 0,
    deadlineSeconds: longest,
    keepSeconds: keptFor,
    pod: {
      labels: own,
      spec: {
        ...(plan.serviceAccountName === undefined ? {} : { serviceAccountName: plan.serviceAccountName }),
        ...(plan.imagePullSecrets.length === 0 ? {} : { imagePullSecrets: [...plan.imagePullSecrets] }),
        securityContext: { runAsNonRoot: true, runAsUser: nobody, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            name: discoveryContainer,
            image,
            args: ["dry-run", "--format=json"],
            env: [...plan.env],
            ...(resources === undefined ? {} : { resources }),
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          },
        ],
      },
    },
  };
}
