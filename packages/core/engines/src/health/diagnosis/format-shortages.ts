import type { Shortage } from "@trivium/domain";
import { formatMemory, formatOffered } from "../../sizing/summarize-memory.ts";

/** GPUs and the like have a name with a domain. */
export const isDevice = (resource: string): boolean => resource.includes("/");

/** A device that no node has at all. */
export const isNowhere = ({ resource, offered }: Shortage): boolean => isDevice(resource) && offered === 0;

/**
 * What a pod needs and what the largest node offers, such as `it needs 900Gi of memory, and the largest node offers 21.2Gi`. Where nodes are
 * large enough and in use, the total says so. Nothing where the amounts are unknown.
 */
export function formatShortages(shortages: readonly Shortage[], isBeyondNodes: boolean): string {
  const known = shortages.filter(({ requested }) => requested > 0);
  if (known.length === 0) return "";
  const rows = known.map((one) => ({ ...formatAmounts(one), resource: one.resource }));
  const needs = rows.map(({ requested, resource }) => formatOf(requested, resource)).join(" and ");
  if (known.every(isNowhere)) return `it needs ${needs}`;
  const total = isBeyondNodes ? "" : " in total";
  if (rows.length === 1) return `it needs ${needs}, and the largest node offers ${rows[0]?.offered}${total}`;
  const offers = rows.map(({ offered, resource }) => formatOf(offered, resource)).join(" and ");
  return `it needs ${needs}, and nodes offer at most ${offers}${total}`;
}

const isInBytes = (resource: string): boolean => /^(?:memory|ephemeral-storage|hugepages-.+)$/.test(resource);

const formatOf = (amount: string, resource: string): string =>
  isInBytes(resource) ? `${amount} of ${resource}` : `${amount} ${resource}`;

/** Two amounts that round to the same text are printed in full. */
function formatAmounts({ resource, requested, offered }: Shortage): { requested: string; offered: string } {
  const [needs, offers] = [
    formatAmount(resource, requested, formatMemory),
    formatAmount(resource, offered, formatOffered),
  ];
  return needs === offers && requested !== offered
    ? { requested: String(requested), offered: String(offered) }
    : { requested: needs, offered: offers };
}

function formatAmount(resource: string, amount: number, format: (bytes: number) => string): string {
  if (resource === "cpu") return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  return isInBytes(resource) ? format(amount).replace(/\.0(?=[A-Z])/, "") : String(amount);
}
