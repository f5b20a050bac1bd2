import type { AnyAdmission } from "@trivium/reconcile";

/** One address of the webhook server: what is done there, and for which kind. */
export interface WebhookPath {
  readonly path: string;
  readonly does: "fill" | "judge";
  readonly admission: AnyAdmission;
}

const words = { fill: "mutate", judge: "validate" } as const;

/** `/mutate-ome-io-v1beta1-inferenceservice` and the like, for all that is served. */
export function webhookPaths(admissions: readonly AnyAdmission[]): WebhookPath[] {
  return admissions.flatMap((admission) => {
    const doings = admission.fill === undefined ? (["judge"] as const) : (["fill", "judge"] as const);
    return doings.map((does) => ({ path: pathOf(does, admission), does, admission }));
  });
}

function pathOf(does: WebhookPath["does"], { kind }: AnyAdmission): string {
  const { group, version, kind: name } = kind;
  return `/${words[does]}-${group.replaceAll(".", "-")}-${version}-${name.toLowerCase()}`;
}
