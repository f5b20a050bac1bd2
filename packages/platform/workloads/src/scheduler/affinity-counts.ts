import type { Fleet } from "./fleet.ts";
import type { Guest } from "./guest.ts";
import type { Host } from "./host.ts";
import { matchesPodTerm, type PodTerm } from "./pod-terms.ts";

/** How many pods a term meets in each place, by `topologyKey value`. */
type Counts = Map<string, number>;

/** Which places a guest's terms, and the terms of those already there, speak for or against. */
export interface AffinityCounts {
  readonly near: ReadonlyMap<string, number>;
  readonly apart: ReadonlyMap<string, number>;
  /** Places where somebody wants to be apart from the guest. */
  readonly unwanted: ReadonlyMap<string, number>;
}

const placeOf = (key: string, value: string): string => `${key} ${value}`;

function count(counts: Counts, { topologyKey }: PodTerm, host: Host): void {
  const value = host.labels[topologyKey];
  if (value === undefined) return;
  const place = placeOf(topologyKey, value);
  counts.set(place, (counts.get(place) ?? 0) + 1);
}

export function countAffinity(guest: Guest, { hosts, namespaces }: Fleet): AffinityCounts {
  const [near, apart, unwanted]: Counts[] = [new Map(), new Map(), new Map()] as [Counts, Counts, Counts];
  const { terms, pod } = guest;
  for (const host of hosts) {
    for (const other of host.guests.values()) {
      for (const term of other.terms.apart) if (matchesPodTerm(term, pod, namespaces)) count(unwanted, term, host);
      // A pod counts as company only when every term means it.
      if (terms.near.length > 0 && terms.near.every((term) => matchesPodTerm(term, other.pod, namespaces))) {
        for (const term of terms.near) count(near, term, host);
      }
      for (const term of terms.apart) if (matchesPodTerm(term, other.pod, namespaces)) count(apart, term, host);
    }
  }
  return { near, apart, unwanted };
}

export function hasCompany(guest: Guest, host: Host, { near }: AffinityCounts, fleet: Fleet): boolean {
  const { terms, pod } = guest;
  if (!terms.near.every(({ topologyKey }) => host.labels[topologyKey] !== undefined)) return false;
  if (terms.near.every(({ topologyKey }) => near.has(placeOf(topologyKey, host.labels[topologyKey] as string))))
    return true;
  // The first of its kind would wait for ever for company that only it can be.
  return near.size === 0 && terms.near.every((term) => matchesPodTerm(term, pod, fleet.namespaces));
}

export function meetsAny(counts: ReadonlyMap<string, number>, host: Host): boolean {
  for (const place of counts.keys()) {
    const split = place.indexOf(" ");
    if (host.labels[place.slice(0, split)] === place.slice(split + 1)) return true;
  }
  return false;
}

/** Adds up the wishes of the guest and of everybody there, for each place. */
export function weighAffinity(guest: Guest, { hosts, namespaces }: Fleet): ReadonlyMap<string, number> {
  const weights: Counts = new Map();
  const add = ({ topologyKey }: PodTerm, host: Host, weight: number) => {
    const value = host.labels[topologyKey];
    if (value === undefined) return;
    const place = placeOf(topologyKey, value);
    weights.set(place, (weights.get(place) ?? 0) + weight);
  };
  for (const host of hosts) {
    for (const other of host.guests.values()) {
      for (const { term, weight } of guest.terms.preferred) {
        if (matchesPodTerm(term, other.pod, namespaces)) add(term, host, weight);
      }
      for (const term of other.terms.near) if (matchesPodTerm(term, guest.pod, namespaces)) add(term, host, 1);
      for (const { term, weight } of other.terms.preferred) {
        if (matchesPodTerm(term, guest.pod, namespaces)) add(term, host, weight);
      }
    }
  }
  return weights;
}

export function weightAt(weights: ReadonlyMap<string, number>, host: Host): number {
  let sum = 0;
  for (const [place, weight] of weights) {
    const split = place.indexOf(" ");
    if (host.labels[place.slice(0, split)] === place.slice(split + 1)) sum += weight;
  }
  return sum;
}
