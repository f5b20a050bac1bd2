import type { StorageClass } from "@trivium/kube";
import { type FieldError, required } from "@trivium/schema";
import { immutable, oneOf, qualifiedName } from "../checks/values.ts";
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

/** What a class means to the volumes made of it does not change under them. */
const fixedFields = ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const;

function checkStorageClass(next: StorageClass, old?: StorageClass): FieldError[] {
  if (old !== undefined) return fixedFields.flatMap((field) => immutable(field, next[field], old[field]));
  const { provisioner, reclaimPolicy, volumeBindingMode } = next;
  return [
    ...(provisioner ? qualifiedName("provisioner", provisioner.toLowerCase()) : [required("provisioner")]),
    ...oneOf("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"]),
    ...oneOf("volumeBindingMode", volumeBindingMode, ["Immediate", "WaitForFirstConsumer"]),
  ];
}
