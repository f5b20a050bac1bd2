import type { StorageClass } from "@trivium/kube";
import { type FieldError, required } from "@trivium/schema";
import { immutable, immutableOnce, oneOf, qualifiedName } from "../checks/values.ts";
import { nameWithDefault } from "../networking/routes.ts";
import { traits } from "../traits.ts";

export const storageClass = traits<StorageClass>({
  defaults: (object) => {
    object.reclaimPolicy ??= "Delete";
    object.volumeBindingMode ??= "Immediate";
  },
  validate: checkStorageClass,
  cells: {
    Name: ({ metadata }) => nameWithDefault(metadata, "storageclass.kubernetes.io/is-default-class"),
    Provisioner: ({ provisioner }) => provisioner,
    ReclaimPolicy: ({ reclaimPolicy }) => reclaimPolicy ?? "Delete",
    VolumeBindingMode: ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate",
    AllowVolumeExpansion: ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
  },
});

function checkStorageClass(next: StorageClass, old?: StorageClass): FieldError[] {
  const { provisioner, reclaimPolicy, volumeBindingMode, parameters } = next;
  return [
    ...(provisioner ? qualifiedName("provisioner", provisioner.toLowerCase()) : [required("provisioner")]),
    ...oneOf("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"]),
    ...oneOf("volumeBindingMode", volumeBindingMode, ["Immediate", "WaitForFirstConsumer"]),
    ...(old === undefined ? [] : checkKept(next, old, parameters)),
  ];
}

/** What a class means to the volumes made of it does not change under them. */
function checkKept(next: StorageClass, old: StorageClass, parameters: StorageClass["parameters"]): FieldError[] {
  return [
    ...immutableOnce("parameters", parameters, old.parameters, "updates to parameters are forbidden."),
    ...immutableOnce("provisioner", next.provisioner, old.provisioner, "updates to provisioner are forbidden."),
    ...immutableOnce("reclaimPolicy", next.reclaimPolicy, old.reclaimPolicy, "updates to reclaimPolicy are forbidden."),
    ...immutable("volumeBindingMode", next.volumeBindingMode, old.volumeBindingMode),
  ];
}
