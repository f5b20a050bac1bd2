import { readFile, statfs } from "node:fs/promises";
import { availableParallelism, hostname, release, type as systemType, totalmem } from "node:os";
import type { api } from "@trivium/kube";
import type { NodeProfile } from "../presence/node-object.ts";
import { defaultSearchPath } from "../sandbox-setup/options.ts";
import { findAccelerators } from "./find-accelerators.ts";

export interface ObserveOptions {
  /** The folder whose disk counts. */
  readonly root: string;
  readonly name?: string;
  readonly address?: string;
  readonly searchPath?: string;
  /** How many containers can share one GPU. */
  readonly gpuShares?: number;
  readonly onError?: (what: string, error: unknown) => void;
}

const mebi = 1024 ** 2;
/** Kept back for the person whose machine it is. */
const keptShare = 0.1;

/** This machine as a node: what it has, what pods may use of it, and what it is. */
export async function observeMachine(options: ObserveOptions): Promise<NodeProfile> {
  const { root, address = "127.0.0.1", searchPath = defaultSearchPath, onError = () => undefined } = options;
  const memory = memoryBytes();
  const disk = await statfs(root);
  const diskBytes = disk.blocks * disk.bsize;
  const capacity = {
    cpu: String(availableParallelism()),
    memory: kibi(memory),
    "ephemeral-storage": kibi(diskBytes),
    pods: "110",
  };
  return {
    name: options.name ?? nodeName(hostname()),
    address,
    capacity,
    allocatable: {
      memory: kibi(offeredMemory()),
      "ephemeral-storage": kibi(diskBytes * (1 - keptShare)),
    },
    accelerators: (await findAccelerators(searchPath, onError)).map((card) =>
      options.gpuShares === undefined ? card : { ...card, shares: options.gpuShares },
    ),
    architecture: process.arch === "arm64" ? "arm64" : "amd64",
    operatingSystem: process.platform === "darwin" ? "darwin" : "linux",
    system: await systemFacts(),
  };
}

/** What pods get: the rest is for the system and the control plane. */
export function offeredMemory(): number {
  const memory = memoryBytes();
  return memory - Math.max(256 * mebi, memory * keptShare);
}

/** A group of processes may have less than the machine. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

const kibi = (bytes: number): string => `${Math.max(0, Math.floor(bytes / 1024))}Ki`;

/** A host name as the name of an object. */
export function nodeName(host: string): string {
  const name = host
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-")
    .split(".")
    .map((part) => part.slice(0, 63).replace(/^-+|-+$/g, ""))
    .filter((part) => part !== "")
    .join(".");
  return name.slice(0, 253) || "local";
}

async function systemFacts(): Promise<Partial<api.NodeSystemInfo>> {
  const [machineId, bootId, systemId, os] = await Promise.all(
    ["/etc/machine-id", "/proc/sys/kernel/random/boot_id", "/sys/class/dmi/id/product_uuid", "/etc/os-release"].map(
      (path) => readFile(path, "utf8").catch(() => ""),
    ),
  );
  const pretty = /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(os ?? "")?.[1];
  const machineID = (machineId ?? "").trim();
  return {
    kernelVersion: release(),
    osImage: pretty ?? (systemType() === "Darwin" ? "macOS" : systemType()),
    machineID,
    bootID: (bootId ?? "").trim(),
    systemUUID: (systemId ?? "").trim() || machineID,
  };
}
