import { parseQuantity, quantityToNumber } from "@trivium/std";
import type { AcceleratorClass } from "../kinds/accelerator-class.ts";

type ClassSpec = AcceleratorClass["spec"];

export const GiB = 1024 ** 3;

/** The field is called memoryGB, so a number without a unit is meant in GiB; no accelerator has less than a mebibyte. */
const smallestBytes = 1024 ** 2;

/** Memory of one accelerator of the class. */
export function memoryBytesOf({ capabilities }: Pick<ClassSpec, "capabilities">): number | undefined {
  const amount = numberOf(capabilities.memoryGB);
  if (amount === undefined || amount <= 0) return undefined;
  return amount < smallestBytes ? amount * GiB : amount;
}

export function numberOf(amount: string | number | undefined): number | undefined {
  const quantity = amount === undefined ? undefined : parseQuantity(amount);
  return quantity === undefined ? undefined : quantityToNumber(quantity);
}

/** Performance with numbers of a precision. Eight-bit floating-point numbers run as fast as eight-bit integers. */
export function performanceOf({ capabilities }: Pick<ClassSpec, "capabilities">, precision: string): number {
  const { fp32Tflops, fp16Tflops, int8Tops, int4Tops } = capabilities.performance ?? {};
  const byBits: Readonly<Record<string, number | undefined>> = {
    fp32: fp32Tflops,
    fp16: fp16Tflops,
    bf16: fp16Tflops,
    fp8: int8Tops,
    int8: int8Tops,
    fp4: int4Tops,
    int4: int4Tops,
  };
  return byBits[precision.toLowerCase()] ?? 0;
}

export function highestPerformance({ capabilities }: Pick<ClassSpec, "capabilities">): number {
  const { fp32Tflops = 0, fp16Tflops = 0, int8Tops = 0, int4Tops = 0 } = capabilities.performance ?? {};
  return Math.max(fp32Tflops, fp16Tflops, int8Tops, int4Tops);
}

/** Compares `9.0` with `12.1` part by part, as numbers. */
export function isAtLeastVersion(actual: string, required: string): boolean {
  const [a, b] = [actual, required].map((text) => (text.match(/\d+/g) ?? []).map(Number)) as [number[], number[]];
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const [left = 0, right = 0] = [a[at], b[at]];
    if (left !== right) return left > right;
  }
  return true;
}
