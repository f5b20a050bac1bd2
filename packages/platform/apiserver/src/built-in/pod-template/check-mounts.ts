import type { api } from "@trivium/kube";
import { type FieldError, forbidden, invalid } from "@trivium/schema";
import { notFound, oneOf, requiredText } from "../checks/values.ts";
import { relativePath } from "./check-volume.ts";

export function checkMounts(
  at: string,
  container: api.Container,
  volumes: ReadonlyMap<string, api.Volume>,
): FieldError[] {
  const paths = new Set<string>();
  const devices = new Set((container.volumeDevices ?? []).map((device) => device.name));
  return (container.volumeMounts ?? []).flatMap((mount, index) => {
    const here = `${at}.volumeMounts[${index}]`;
    const faults = [
      ...requiredText(`${here}.name`, mount.name),
      ...(volumes.has(mount.name) ? [] : [notFound(`${here}.name`, mount.name)]),
      ...requiredText(`${here}.mountPath`, mount.mountPath),
      ...(paths.has(mount.mountPath) ? [invalid(`${here}.mountPath`, mount.mountPath, "must be unique")] : []),
      ...(devices.has(mount.name)
        ? [invalid(`${here}.name`, mount.name, "must not already exist in volumeDevices")]
        : []),
      ...(mount.subPath ? relativePath(`${here}.subPath`, mount.subPath) : []),
      ...(mount.subPathExpr ? checkSubPathExpr(`${here}.subPathExpr`, mount) : []),
      ...oneOf(`${here}.mountPropagation`, mount.mountPropagation, ["Bidirectional", "HostToContainer", "None"]),
    ];
    paths.add(mount.mountPath);
    return faults;
  });
}

function checkSubPathExpr(at: string, { subPath, subPathExpr = "" }: api.VolumeMount): FieldError[] {
  const both = subPath ? [invalid(at, subPathExpr, "subPathExpr and subPath are mutually exclusive")] : [];
  return [...both, ...relativePath(at, subPathExpr)];
}

export function checkDevices(
  at: string,
  container: api.Container,
  volumes: ReadonlyMap<string, api.Volume>,
): FieldError[] {
  return (container.volumeDevices ?? []).flatMap((device, index) => {
    const here = `${at}.volumeDevices[${index}]`;
    const volume = volumes.get(device.name);
    if (volume === undefined) return [notFound(`${here}.name`, device.name)];
    const isClaim = volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined;
    const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
    return [
      ...(isClaim ? [] : [invalid(`${here}.name`, device.name, detail)]),
      ...requiredText(`${here}.devicePath`, device.devicePath),
      ...(device.devicePath.startsWith("/") ? [] : [forbidden(`${here}.devicePath`, "must be an absolute path")]),
    ];
  });
}
