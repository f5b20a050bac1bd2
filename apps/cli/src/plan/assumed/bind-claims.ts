import { PersistentVolumeClaim, StorageClass } from "@trivium/kube";
import type { AssumptionContext } from "./context.ts";

/** Gives new claims their volumes, unless they name a class that the cluster does not have. */
export async function bindClaims({ client, isNew }: AssumptionContext): Promise<boolean> {
  const [{ items: claims }, { items: classes }] = await Promise.all([
    client.list(PersistentVolumeClaim),
    client.list(StorageClass),
  ]);
  const names = classes.map(({ metadata }) => metadata.name);
  const open = claims.filter((claim) => {
    const { storageClassName: name } = claim.spec ?? {};
    const hasClass = !name || names.length === 0 || names.includes(name);
    return hasClass && claim.status?.phase !== "Bound" && isNew(PersistentVolumeClaim, claim);
  });
  for (const { metadata, spec } of open) {
    const { namespace = "", name = "" } = metadata;
    const status = { phase: "Bound", accessModes: spec?.accessModes, capacity: spec?.resources?.requests };
    const patch = { type: "merge", body: { status } } as never;
    await client.patch(PersistentVolumeClaim, { namespace, name }, patch, { subresource: "status" });
  }
  return open.length > 0;
}
