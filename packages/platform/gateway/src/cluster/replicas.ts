import type { Replica } from "@trivium/domain";
import type { EndpointSlice, Service } from "@trivium/kube";

/** The ready endpoints behind a port of a Service. Those that end keep their streams and get no more. */
export function replicasOf(service: Service, port: number, slices: readonly EndpointSlice[]): readonly Replica[] {
  const servicePort = service.spec?.ports?.find((candidate) => candidate.port === port);
  if (servicePort === undefined) return [];
  const portName = servicePort.name ?? "";
  const found = new Map<string, Replica>();
  for (const slice of slices) {
    const number = slice.ports?.find((candidate) => (candidate.name ?? "") === portName)?.port;
    if (number === undefined || number === null) continue;
    for (const { addresses, conditions, targetRef } of slice.endpoints ?? []) {
      const [address] = addresses;
      if (address === undefined || conditions?.ready === false || conditions?.terminating === true) continue;
      const authority = address.includes(":") ? `[${address}]:${number}` : `${address}:${number}`;
      found.set(authority, { authority, pod: targetRef?.kind === "Pod" ? targetRef.name : undefined });
    }
  }
  return [...found.values()];
}
