import type { Pod } from "@trivium/kube";

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const everyAddress = "0.0.0.0";

/** The ports of the node itself that a pod wants. */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const sidecars = spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === "Always") ?? [];
  return [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports }) =>
    (ports ?? [])
      .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
      .map(({ hostIP, hostPort, protocol }) => ({
        ip: hostIP || everyAddress,
        protocol: protocol ?? "TCP",
        port: hostPort as number,
      })),
  );
}

/** Two of the same port meet where their addresses do. */
export function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === everyAddress || b.ip === everyAddress;
}
