import type { api } from "@trivium/kube";
import { parseQuantity, type Quantity } from "@trivium/std";

type Amounts = Readonly<Record<string, string | number>>;

/** Resources whose limit is what the node can give when the container has none. */
const lentByNode: readonly string[] = ["cpu", "memory", "ephemeral-storage"];

/**
 * The value of a `resourceFieldRef`: how many times the divisor fits, rounded up. Undefined for a resource that is not given this way.
 */
export function readResourceField(
  container: api.Container,
  { resource, divisor }: api.ResourceFieldSelector,
  allocatable: Amounts,
): string | undefined {
  const [, side, name = ""] = /^(limits|requests)\.(.+)$/.exec(resource) ?? [];
  const isKnown = lentByNode.includes(name) || name.startsWith("hugepages-");
  if (side === undefined || !isKnown) return undefined;
  const own = container.resources?.[side as "limits" | "requests"] as Amounts | undefined;
  const lent = side === "limits" ? allocatable[name] : undefined;
  const amount = parseQuantity(own?.[name] ?? lent ?? 0);
  const step = parseQuantity(divisor ?? 1);
  if (amount === undefined || step === undefined) return undefined;
  // CPU is counted in thousandths, everything else in whole units; both round up before they are divided.
  const scale = name === "cpu" ? 3 : 0;
  const unit = ceiled(step, scale) || 10n ** BigInt(scale);
  return String((ceiled(amount, scale) + unit - 1n) / unit);
}

/** The amount times 10^scale, rounded up to a whole number. */
function ceiled({ unscaled, exponent }: Quantity, scale: number): bigint {
  const power = exponent + scale;
  if (power >= 0) return unscaled * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (unscaled + divisor - 1n) / divisor;
}
