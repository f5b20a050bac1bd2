import type { StorageClass } from "@trivium/kube";
import { nameWithDefault } from "../networking/routes.ts";
import { traits } from "../traits.ts";

export const storageClass = traits<StorageClass>({
  defaults: (object) => {
    object.reclaimPolicy ??= "Delete";
    object.volumeBindingMode ??= "Immediate";
  },
  cells: {
    Name: ({ metadata }) => nameWithDefault(metadata, "storageclass.kubernetes.io/is-default-class"),
    Provisioner: ({ provisioner }) => provisioner,
    ReclaimPolicy: ({ reclaimPolicy }) => reclaimPolicy ?? "Delete",
    VolumeBindingMode: ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate",
    AllowVolumeExpansion: ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
  },
});
