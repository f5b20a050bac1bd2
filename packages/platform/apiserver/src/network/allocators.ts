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
  const addresses = new Range(() => takenBy(storage, addressesOf), {
    size: block.size - 1 - firstAddress,
    valueAt: (at) => addressOfNumber(block.base + firstAddress + at),
  });
  const ports = new Range(() => takenBy(storage, portsOf), {
    size: lastPort - firstPort + 1,
    valueAt: (at) => firstPort + at,
  });
  return {
    allocateClusterIp: (wanted) => {
      if (wanted === undefined) {
        const detail = "failed to allocate a serviceIP: range is full";
        return addresses.next() ?? { reason: "InternalError", field: "spec.clusterIPs", detail };
      }
      if (addresses.isTaken(wanted)) return invalidAddress(wanted, "provided IP is already allocated");
      if (isInside(block, wanted)) return addresses.take(wanted);
      return invalidAddress(wanted, `the provided network does not match the current range: ${network}`);
    },
    allocateNodePort: (wanted) => {
      if (wanted === undefined) {
        const detail = "failed to allocate a nodePort: range is full";
        return ports.next() ?? { reason: "InternalError", field: "spec.ports", detail };
      }
      if (ports.isTaken(wanted)) return refusePort(wanted, "provided port is already allocated");
      const checked = checkPort(wanted);
      return typeof checked === "number" ? ports.take(checked) : checked;
    },
  };
}

interface Values<T> {
  readonly size: number;
  valueAt(at: number): T;
}

/** Allocations between two looks at what is really taken. */
const looksAgainAfter = 1000;

/**
 * Hands out the values of a range in turn. Every value is taken through here, so what was once read only grows out of date by values that
 * are free again: whether one is taken is read from the Services where it matters, and not for each new Service.
 */
class Range<T> {
  readonly #read: () => Set<T>;
  readonly #values: Values<T>;
  #at = 0;
  #taken: Set<T> | undefined;
  #left = 0;

  constructor(read: () => Set<T>, values: Values<T>) {
    this.#read = read;
    this.#values = values;
  }

  isTaken(value: T): boolean {
    return this.#known().has(value) && this.#readAgain().has(value);
  }

  take(value: T): T {
    this.#known().add(value);
    this.#left -= 1;
    return value;
  }

  /** Nothing where all are taken. */
  next(): T | undefined {
    const value = this.#free(this.#known()) ?? this.#free(this.#readAgain());
    return value === undefined ? undefined : this.take(value);
  }

  #free(taken: ReadonlySet<T>): T | undefined {
    for (let tried = 0; tried < this.#values.size; tried++) {
      const value = this.#values.valueAt(this.#at);
      this.#at = (this.#at + 1) % this.#values.size;
      if (!taken.has(value)) return value;
    }
    return undefined;
  }

  #known(): Set<T> {
    return this.#taken === undefined || this.#left <= 0 ? this.#readAgain() : this.#taken;
  }

  #readAgain(): Set<T> {
    this.#left = looksAgainAfter;
    this.#taken = this.#read();
    return this.#taken;
  }
}

function takenBy<T>(storage: Storage, read: (service: Stored) => Iterable<T>): Set<T> {
  const taken = new Set<T>();
  for (const service of storage.store.list("services")) for (const value of read(service)) taken.add(value);
  return taken;
}

/** Services are read many times, so what one has is remembered: as soon as it changes it is another object. */
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
