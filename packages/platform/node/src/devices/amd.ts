import { isObject, type Json, type JsonObject } from "@trivium/std";
import type { Accelerator } from "./accelerators.ts";
import { grouped } from "./grouped.ts";

export const amdQuery = { program: "amd-smi", args: ["static", "--asic", "--vram", "--json"] } as const;

export const rocmQuery = {
  program: "rocm-smi",
  args: ["--showproductname", "--showid", "--showmeminfo", "vram", "--json"],
} as const;

/** A list of cards, or an object around it, with `asic` and `vram` for each. */
export function parseAmdSmi(output: string): Accelerator[] {
  const answer = parsed(output);
  const list = isObject(answer) ? answer.gpu_data : answer;
  const cards = (Array.isArray(list) ? list : []).flatMap((entry) => {
    const { asic, vram } = isObject(entry) ? entry : {};
    if (!isObject(asic) || !isObject(vram)) return [];
    return cardOf({
      name: textOf(asic.market_name),
      id: textOf(asic.device_id),
      family: textOf(asic.target_graphics_version),
      memoryGiB: sizeInGiB(vram.size),
    });
  });
  return grouped(cards);
}

/** `{"card0": {"Card Series": "AMD Instinct MI300X", "Device ID": "0x74a1", "VRAM Total Memory (B)": "206141652992"}}`. */
export function parseRocmSmi(output: string): Accelerator[] {
  const answer = parsed(output);
  const entries = isObject(answer) ? Object.entries(answer).filter(([key]) => /^card\d+$/.test(key)) : [];
  const cards = entries.flatMap(([, card]) => {
    if (!isObject(card)) return [];
    const bytes = Number(textOf(card["VRAM Total Memory (B)"]));
    return cardOf({
      name: firstText(card, ["Card Series", "Device Name", "Card series", "Card Model"]),
      id: firstText(card, ["Device ID", "GPU ID", "Card Model"]),
      family: textOf(card["GFX Version"]),
      memoryGiB: bytes / 1024 ** 3,
    });
  });
  return grouped(cards);
}

interface Card {
  readonly name: string;
  readonly id: string;
  readonly family: string;
  readonly memoryGiB: number;
}

/** The labeller of AMD writes `_` for what a label may not hold. A graphics core inside a processor has no memory of its own. */
function cardOf({ name, id, family, memoryGiB }: Card): Accelerator[] {
  if (name === "" || !Number.isFinite(memoryGiB) || memoryGiB < 1) return [];
  const deviceId = /^(?:0x)?([0-9a-f]{4})$/i.exec(id)?.[1]?.toLowerCase();
  const rounded = Math.round(memoryGiB);
  return [
    {
      vendor: "amd",
      product: name.replace(/[^\w.-]+/g, "_").replace(/^_+|_+$/g, ""),
      count: 1,
      memoryGiB: rounded,
      ...(deviceId === undefined ? {} : { deviceId }),
      ...(/^gfx\w+$/.test(family) ? { capability: family } : {}),
    },
  ];
}

/** `{"value": 196592, "unit": "MB"}` or `196592 MB`; the tool means 1024 by its units. */
function sizeInGiB(size: Json | undefined): number {
  const [value, unit] = isObject(size)
    ? [Number(size.value), textOf(size.unit)]
    : [Number.parseFloat(textOf(size)), textOf(size).replace(/^[\d.\s]+/, "")];
  const scale = { MB: 1 / 1024, GB: 1, MiB: 1 / 1024, GiB: 1 }[unit] ?? Number.NaN;
  return value * scale;
}

function firstText(card: JsonObject, keys: readonly string[]): string {
  return keys.map((key) => textOf(card[key])).find((text) => text !== "" && text !== "N/A") ?? "";
}

const textOf = (value: Json | undefined): string =>
  typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";

function parsed(output: string): Json | undefined {
  try {
    return JSON.parse(output) as Json;
  } catch {
    return undefined;
  }
}
