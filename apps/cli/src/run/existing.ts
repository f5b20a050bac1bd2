import type { ServingDialect } from "@trivium/domain";
import { withKind } from "@trivium/explain";
import { type AnyObject, apiVersionOf, isReason, type KubeClient } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { Refusal } from "@trivium/std";
import { serviceWords } from "../cluster/service.ts";
import { modelNameOf } from "../explain/state.ts";

export interface ServicePlace {
  readonly dialect: ServingDialect;
  readonly name: string;
  readonly namespace: string;
}

/**
 * A name that is taken by a service of other weights is not taken over: clients of that service would get another model. One that a service
 * of another API has is not shared: both need a Service of that name.
 */
export async function refuseOther(
  client: KubeClient,
  objects: readonly AnyObject[],
  place: ServicePlace,
): Promise<void> {
  await refuseNamesake(client, place);
  const { dialect, name, namespace } = place;
  const { serviceKind: kind } = dialect;
  const service = await find(client, kind, { name, namespace });
  if (service === undefined) return;
  const pairs = await Promise.all(
    objects.map(async (object) => {
      const own = dialect.kinds.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);
      const live =
        own === undefined ? undefined : await find(client, own, { name: object.metadata.name ?? "", namespace });
      return { wanted: dialect.sourceOf(object), served: live === undefined ? undefined : dialect.sourceOf(live) };
    }),
  );
  const other = pairs.find(({ wanted, served }) => wanted !== undefined && wanted !== served);
  if (other === undefined) return;
  const what = other.served ?? modelNameOf(service) ?? "another model";
  throw new Refusal(
    `${kind.kind} ${name} already serves ${what}; choose another name with --name, or remove it with trivium rm ${name}`,
  );
}

async function refuseNamesake(client: KubeClient, { dialect, name, namespace }: ServicePlace): Promise<void> {
  for (const other of dialects.filter((one) => one.name !== dialect.name)) {
    const { kind } = other.serviceKind;
    if ((await find(client, other.serviceKind, { name, namespace })) === undefined) continue;
    const words = serviceWords(other, name);
    throw new Refusal(
      `${kind} ${words} already uses the name ${name}; choose another name with --name, or remove it with trivium rm ${words}`,
    );
  }
}

type Ref = { readonly name: string; readonly namespace: string };

async function find(client: KubeClient, kind: ServingDialect["serviceKind"], ref: Ref): Promise<AnyObject | undefined> {
  try {
    return withKind(kind, await client.get(kind, ref));
  } catch (error) {
    if (isReason(error, "NotFound")) return undefined;
    throw error;
  }
}
