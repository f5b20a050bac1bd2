import type { ConfigMap, Secret, ServiceAccount } from "@trivium/kube";
import { traits } from "../traits.ts";
import { checkConfigMap, checkSecret } from "./check-config.ts";
import { defaultSecret } from "./defaults.ts";

export const configMap = traits<ConfigMap>({
  validate: checkConfigMap,
  cells: { Data: ({ data, binaryData }) => sizeOf(data) + sizeOf(binaryData) },
});

export const secret = traits<Secret>({
  validate: checkSecret,
  defaults: defaultSecret,
  selectableFields: ["type"],
  cells: { Type: ({ type }) => type ?? "", Data: ({ data }) => sizeOf(data) },
});

const sizeOf = (map: object | undefined): number => Object.keys(map ?? {}).length;

export const serviceAccount = traits<ServiceAccount>({});
