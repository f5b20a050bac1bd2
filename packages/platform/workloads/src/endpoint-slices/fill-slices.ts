import type { api, EndpointSlice } from "@trivium/kube";
import { canonicalJson } from "@trivium/std";
import { byName } from "../pods/claim.ts";
import { podName } from "../pods/pod-name.ts";
import type { AddressType, EndpointPort } from "./endpoint.ts";

/** All endpoints whose ports are the same. */
export interface PortGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly api.Endpoint[];
}

export interface FilledSlice {
  readonly name: string;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly api.Endpoint[];
}

export interface Filling {
  readonly service: string;
  readonly uid: string;
  readonly type: AddressType;
  /** The slices that are there. */
  readonly slices: readonly EndpointSlice[];
}

const most = 100;

/**
 * Puts endpoints into slices of at most a hundred. Who is in a slice stays in it and new ones fill up what has room, so that a change
 * of one pod is a change of one slice.
 */
export function fillSlices(group: PortGroup, filling: Filling): FilledSlice[] {
  const key = canonicalJson(group.ports);
  const waiting = new Map(group.endpoints.map((endpoint) => [targetOf(endpoint), endpoint]));
  const kept = filling.slices
    .filter(({ addressType, ports }) => addressType === filling.type && canonicalJson(ports ?? []) === key)
    .toSorted(byName)
    .map(({ metadata, endpoints = [] }) => ({
      name: metadata.name ?? "",
      endpoints: endpoints.flatMap((endpoint) => take(waiting, targetOf(endpoint))),
    }))
    .filter(({ endpoints }) => endpoints.length > 0);
  for (const { endpoints } of kept) fillUp(endpoints, waiting);
  return [...kept, ...newSlices(waiting, key, filling)].map((slice) => ({ ...slice, ports: group.ports }));
}

function newSlices(waiting: Map<string, api.Endpoint>, key: string, { service, uid, type, slices }: Filling) {
  const taken = new Set(slices.map(({ metadata }) => metadata.name));
  const made: { name: string; endpoints: api.Endpoint[] }[] = [];
  for (let i = 0; waiting.size > 0; i += 1) {
    const name = podName(service, `${uid} ${type} ${key} ${i}`);
    if (taken.has(name)) continue;
    const endpoints: api.Endpoint[] = [];
    fillUp(endpoints, waiting);
    made.push({ name, endpoints });
  }
  return made;
}

function fillUp(endpoints: api.Endpoint[], waiting: Map<string, api.Endpoint>): void {
  for (const target of [...waiting.keys()].slice(0, Math.max(0, most - endpoints.length))) {
    endpoints.push(...take(waiting, target));
  }
}

const targetOf = ({ targetRef }: api.Endpoint): string => targetRef?.uid ?? "";

function take(waiting: Map<string, api.Endpoint>, target: string): api.Endpoint[] {
  const endpoint = waiting.get(target);
  waiting.delete(target);
  return endpoint === undefined ? [] : [endpoint];
}
