import type { api, Pod } from "@trivium/kube";
import { canListen, freePort } from "./addresses.ts";

/** Ports that are given out and perhaps not listened on yet, so that no two pods get the same. */
export class PortBook {
  readonly #given = new Map<number, string>();

  /** Ports of an earlier agent. */
  restore(owner: string, ports: Iterable<number>): void {
    for (const port of ports) this.#given.set(port, owner);
  }

  async take(owner: string, address: string): Promise<number> {
    for (;;) {
      const port = await freePort(address);
      if (this.#given.has(port)) continue;
      this.#given.set(port, owner);
      return port;
    }
  }

  release(owner: string): void {
    for (const [port, holder] of [...this.#given]) if (holder === owner) this.#given.delete(port);
  }
}

/** The TCP ports that the containers of a pod declare. */
export function declaredPorts({ spec }: Pod): number[] {
  const containers: readonly api.Container[] = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const ports = containers.flatMap(({ ports = [] }) => ports.filter(({ protocol = "TCP" }) => protocol === "TCP"));
  return [...new Set(ports.map(({ containerPort }) => containerPort))];
}

/** Which of the ports somebody else has at this address, or this process may not have. */
export async function portsTaken(address: string, ports: readonly number[]): Promise<number[]> {
  const free = await Promise.all(ports.map((port) => canListen(address, port)));
  return ports.filter((_, at) => !free[at]);
}
