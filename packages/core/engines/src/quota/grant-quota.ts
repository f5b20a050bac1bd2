/** How much of each named resource. */
export type Amounts = Readonly<Record<string, number>>;

/** What many share: at most so much of each resource, and the priority that a claim needs. */
export interface QuotaLimit {
  readonly key: string;
  readonly amounts: Amounts;
  readonly minPriority?: number | undefined;
}

/** What one of them needs, what it was granted before, and what it takes now. */
export interface QuotaClaim {
  readonly key: string;
  /** Keys of the limits that it counts against. */
  readonly limits: readonly string[];
  /** A resource whose amount is not known is left out. */
  readonly wanted: Amounts;
  readonly held: Amounts;
  /** Counts even where less is needed or granted: it is not free before it is given back. */
  readonly uses?: Amounts;
  readonly priority: number;
  readonly createdAt: string;
}

/** Why a claim waits. */
export type QuotaFault =
  | { readonly is: "exceeded"; readonly resource: string; readonly limit: number; readonly used: number }
  | { readonly is: "unknown"; readonly resource: string }
  | { readonly is: "priority"; readonly minPriority: number };

export type QuotaGrant =
  | { readonly is: "granted"; readonly claim: QuotaClaim }
  | { readonly is: "waiting"; readonly claim: QuotaClaim; readonly limit: string; readonly fault: QuotaFault };

export interface GrantedQuota {
  readonly grants: readonly QuotaGrant[];
  /** What is granted of each limit. */
  readonly used: ReadonlyMap<string, Amounts>;
}

/**
 * Decides all claims at once. What was granted is never taken back, even where the limit is lower by now. Of the others the higher priority
 * comes first, then the older; one that does not fit leaves the rest to those behind it.
 */
export function grantQuota(claims: readonly QuotaClaim[], limits: readonly QuotaLimit[]): GrantedQuota {
  const used = new Map<string, Record<string, number>>(limits.map(({ key }) => [key, {}]));
  for (const claim of claims) count(used, claim, keptOf(claim));
  const byKey = new Map(limits.map((limit) => [limit.key, limit]));
  const grants = claims.toSorted(inOrder).map((claim): QuotaGrant => {
    const more = moreOf(claim);
    for (const key of claim.limits) {
      const limit = byKey.get(key);
      const fault = limit && findFault(claim, limit, { more, used: used.get(key) ?? {} });
      if (fault !== undefined) return { is: "waiting", claim, limit: key, fault };
    }
    count(used, claim, more);
    return { is: "granted", claim };
  });
  return { grants, used };
}

/** Of what it held before, a claim keeps what it still needs, and what it has not given back. */
function keptOf({ held, wanted, uses = {} }: QuotaClaim): Amounts {
  const kept = mapAmounts(held, (amount, name) => Math.min(amount, wanted[name] ?? amount));
  return mapAmounts({ ...kept, ...uses }, (amount, name) => Math.max(amount, kept[name] ?? 0));
}

function moreOf(claim: QuotaClaim): Amounts {
  const kept = keptOf(claim);
  return mapAmounts(claim.wanted, (amount, name) => Math.max(0, amount - (kept[name] ?? 0)));
}

interface Asked {
  readonly more: Amounts;
  readonly used: Amounts;
}

function findFault(
  { held, wanted, priority }: QuotaClaim,
  { amounts, minPriority }: QuotaLimit,
  { more, used }: Asked,
): QuotaFault | undefined {
  const isNew = Object.keys(held).length === 0;
  for (const [resource, limit] of Object.entries(amounts)) {
    if (wanted[resource] === undefined && isNew) return { is: "unknown", resource };
    const [asked = 0, taken = 0] = [more[resource], used[resource]];
    if (asked > 0 && taken + asked > limit) return { is: "exceeded", resource, limit, used: taken };
  }
  if (minPriority === undefined || priority >= minPriority) return undefined;
  return isNew || Object.values(more).some((amount) => amount > 0) ? { is: "priority", minPriority } : undefined;
}

function count(used: Map<string, Record<string, number>>, { limits }: QuotaClaim, amounts: Amounts): void {
  for (const key of limits) {
    const sum = used.get(key);
    if (sum === undefined) continue;
    for (const [name, amount] of Object.entries(amounts)) sum[name] = (sum[name] ?? 0) + amount;
  }
}

const mapAmounts = (amounts: Amounts, change: (amount: number, name: string) => number): Amounts =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, change(amount, name)]));

const inOrder = (a: QuotaClaim, b: QuotaClaim): number =>
  b.priority - a.priority || compare(a.createdAt, b.createdAt) || compare(a.key, b.key);
const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
