import type { Accelerator } from "./accelerators.ts";
import { grouped } from "./grouped.ts";

export const nvidiaQuery = {
  program: "nvidia-smi",
  args: ["--query-gpu=name,memory.total,pci.device_id,compute_cap", "--format=csv,noheader,nounits"],
} as const;

/** `NVIDIA H100 80GB HBM3, 81559, 0x233010DE, 9.0`: one card a line. A card that cannot be asked says `[N/A]`. */
export function parseNvidia(output: string): Accelerator[] {
  const cards = output.split("\n").flatMap((line): Accelerator[] => {
    const [name = "", memory = "", id = "", capability = ""] = line.split(",").map((part) => part.trim());
    const mebibytes = Number(memory);
    if (name === "" || memory === "" || !Number.isFinite(mebibytes) || mebibytes <= 0) return [];
    const deviceId = /^0x([0-9A-Fa-f]{4})10DE$/i.exec(id)?.[1]?.toLowerCase();
    const isNumber = /^\d+\.\d+$/.test(capability);
    const family = isNumber ? familyOf(capability) : undefined;
    return [
      {
        vendor: "nvidia",
        product: name.replace(/[^\w.-]+/g, "-"),
        count: 1,
        memoryGiB: mebibytes / 1024,
        ...(family === undefined ? {} : { family }),
        ...(deviceId === undefined ? {} : { deviceId }),
        ...(isNumber ? { capability } : {}),
      },
    ];
  });
  return grouped(cards);
}

const families: readonly (readonly [from: number, name: string])[] = [
  [10, "blackwell"],
  [9, "hopper"],
  [8.9, "ada-lovelace"],
  [8, "ampere"],
  [7.5, "turing"],
  [7, "volta"],
  [6, "pascal"],
  [5, "maxwell"],
  [3, "kepler"],
];

const familyOf = (capability: string): string | undefined => families.find(([from]) => Number(capability) >= from)?.[1];
