import type { FieldError } from "@trivium/schema";
import type { StrategyContext } from "../resource.ts";
import type { Storage } from "../storage/storage.ts";
import type { Stored } from "../store/store.ts";
import { addressOfNumber, blockOfNetwork, defaultNetwork, isInside, type ServiceNetwork } from "./service-network.ts";

/** Values that must be unique in the cluster: addresses and ports of Services. What is taken is read from the Services. */
type Allocators = Pick<StrategyContext, "allocateClusterIp" | "allocateNodePort">;

const firstAddress = 2;
const firstPort = 30_000;
const lastPort = 32_767;

export function createAllocators(storage: Storage, network: ServiceNetwork = defaultNetwork): Allocators {
  const block = blockOfNetwork(network);
  const lastAddress = block.size - 2;
  const cursor = { address: firstAddress, port: firstPort };
  return {
    allocateClusterIp: (wanted) => {
      const taken = takenBy(storage, addressesOf);
      if (wanted !== undefined) {
        if (taken.has(wanted)) return invalidAddress(wanted, "provided IP is already allocated");
        if (isInside(block, wanted)) return wanted;
        return invalidAddress(wanted, `the provided network does not match the current range: ${network}`);
      }
      for (let tried = firstAddress; tried <= lastAddress; tried++) {
        const number = cursor.address;
        cursor.address = number === lastAddress ? firstAddress : number + 1;
        const address = addressOfNumber(block.base + number);
        if (!taken.has(address)) return address;
      }
      return {
        reason: "InternalError",
        field: "spec.clusterIPs",
        detail: "failed to allocate a serviceIP: range is full",
      };
    },
    allocateNodePort: (wanted) => {
      const taken = takenBy(storage, portsOf);
      if (wanted !== undefined)
        return taken.has(wanted) ? refusePort(wanted, "provided port is already allocated") : checkPort(wanted);
      for (let tried = firstPort; tried <= lastPort; tried++) {
        const port = cursor.port;
        cursor.port = port === lastPort ? firstPort : port + 1;
        if (!taken.has(port)) return port;
      }
      return { reason: "InternalError", field: "spec.ports", detail: "failed to allocate a nodePort: range is full" };
    },
  };
}

function takenBy<T>(storage: Storage, read: (service: Stored) => Iterable<T>): Set<T> {
  const taken = new Set<T>();
  for (const service of storage.store.list("services")) for (const value of read(service)) taken.add(value);
  return taken;
}

/** Every Service is read for every new one, so what one has is remembered: as soon as it changes it is another object. */
function onceFor<T>(read: (text: string) => readonly T[]): (service: Stored) => readonly T[] {
  const known = new WeakMap<Stored, readonly T[]>();
  return (service) => {
    const values = known.get(service) ?? read(service.text);
    known.set(service, values);
    return values;
  };
}

/** Reads of JSON text: inside strings quotes are escaped, so the patterns match fields only. */
const addressesOf = onceFor((text): string[] => JSON.parse(/"clusterIPs":(\[[^\]]*\])/.exec(text)?.[1] ?? "[]"));
const portsOf = onceFor((text): number[] =>
  Array.from(text.matchAll(/"(?:nodePort|healthCheckNodePort)":(\d+)/g), ([, port]) => Number(port)),
);

const invalidAddress = (value: string, why: string): FieldError => ({
  reason: "FieldValueInvalid",
  field: "spec.clusterIPs",
  value: [value],
  detail: `failed to allocate IP ${value}: ${why}`,
});

const refusePort = (value: number, why: string): FieldError => ({
  reason: "FieldValueInvalid",
  field: "spec.ports[0].nodePort",
  value,
  detail: why,
});

function checkPort(value: number): number | FieldError {
  if (value >= firstPort && value <= lastPort) return value;
  return refusePort(
    value,
    `provided port is not in the valid range. The range of valid ports is ${firstPort}-${lastPort}`,
  );
}
