import { isObject, type Json } from "@trivium/std";
import type { Accelerator } from "./accelerators.ts";
import { grouped } from "./grouped.ts";

export const appleQuery = { program: "system_profiler", args: ["SPDisplaysDataType", "-json"] } as const;

/** Graphics of Apple's own chips. They share the machine's memory, which the tool does not say. */
export function parseApple(output: string, machineMemoryGiB: number): Accelerator[] {
  let answer: Json;
  try {
    answer = JSON.parse(output) as Json;
  } catch {
    return [];
  }
  const list = isObject(answer) ? answer.SPDisplaysDataType : [];
  const cards = (Array.isArray(list) ? list : []).flatMap((entry): Accelerator[] => {
    const { sppci_model: model, spdisplays_vendor: vendor } = isObject(entry) ? entry : {};
    if (typeof model !== "string" || vendor !== "sppci_vendor_Apple") return [];
    return [{ vendor: "apple", product: model.replace(/[^\w.-]+/g, "-"), count: 1, memoryGiB: machineMemoryGiB }];
  });
  return grouped(cards);
}
