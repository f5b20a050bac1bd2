import type { api, Pod } from "@trivium/kube";
import type { Accelerator } from "../../devices/accelerators.ts";
import { type Assigned, DeviceBook } from "../../devices/device-book.ts";
import { AddressPool } from "../../sandboxes/staged/address-pool.ts";
import { readSetupRecord, type SetupRecord, writeSetupRecord } from "../setup-record.ts";
import { type AddressMode, blockOf, sharedAddress } from "./addresses.ts";
import { declaredPorts, PortBook, portsTaken } from "./port-book.ts";

/** What a pod has that no other may have at the same time. */
export interface Allocation {
  readonly address: string;
  /** From ports that the spec names to those that are listened on. Grows when a program asks for one that the spec does not name. */
  readonly ports: ReadonlyMap<number, number>;
  /** The port that is listened on in place of this one, given out now where pods share an address. */
  portFor(port: number): Promise<number>;
  /** The accelerators of a container; undefined when not enough are free. */
  devicesFor(container: api.Container): Promise<Assigned | undefined>;
}

export interface AllocationOptions {
  /** The folder of all rooms; it tells two nodes on one machine apart. */
  readonly root: string;
  readonly mode: AddressMode;
  readonly hostAddress: string;
  readonly accelerators: readonly Accelerator[];
}

/** How many addresses are tried for a pod whose ports somebody else holds. */
const tries = 8;

/**
 * Gives out addresses, ports and accelerators. What a pod got is written down in its room, and is the same as long as the room is
 * there: processes that outlived an agent go on where they were told to.
 */
export class Allocations {
  readonly #options: AllocationOptions;
  readonly #addresses: AddressPool;
  readonly #ports = new PortBook();
  readonly #devices: DeviceBook;

  constructor(options: AllocationOptions) {
    this.#options = options;
    this.#addresses = new AddressPool(blockOf(options.root));
    this.#devices = new DeviceBook(options.accelerators);
  }

  /** What pods of an earlier agent hold is not given to others before they come back for it. */
  restore(records: ReadonlyMap<string, SetupRecord | undefined>): void {
    for (const [uid, record] of records) {
      if (record === undefined) continue;
      if (this.#options.mode === "own") this.#addresses.take(uid, record.address);
      this.#ports.restore(uid, Object.values(record.ports));
      for (const [name, devices] of Object.entries(record.devices)) this.#devices.restore(`${uid}/${name}`, devices);
    }
  }

  release(uid: string): void {
    this.#addresses.release(uid);
    this.#ports.release(uid);
    this.#devices.release(uid);
  }

  async allot(uid: string, pod: Pod, folder: string): Promise<Allocation> {
    const known = await readSetupRecord(folder);
    const record = known ?? (await this.#decide(uid, pod));
    if (known === undefined) await writeSetupRecord(folder, record);
    const { address } = record;
    const ports = new Map(Object.entries(record.ports).map(([from, to]) => [Number(from), to]));
    const devices = new Map(Object.entries(record.devices));
    const write = () =>
      writeSetupRecord(folder, { address, ports: Object.fromEntries(ports), devices: Object.fromEntries(devices) });
    return {
      address,
      ports,
      portFor: async (port) => {
        const given = ports.get(port);
        if (given !== undefined || this.#options.mode === "own" || isOnHost(pod)) return given ?? port;
        const fresh = await this.#ports.take(uid, address);
        ports.set(port, fresh);
        await write();
        return fresh;
      },
      devicesFor: async (container) => {
        const assigned = this.#devices.take(`${uid}/${container.name}`, container);
        if (assigned === undefined || Object.keys(assigned).length === 0 || devices.has(container.name))
          return assigned;
        devices.set(container.name, assigned);
        await write();
        return assigned;
      },
    };
  }

  async #decide(uid: string, pod: Pod): Promise<SetupRecord> {
    const { mode, hostAddress } = this.#options;
    if (isOnHost(pod)) return { address: hostAddress, ports: {}, devices: {} };
    const wanted = declaredPorts(pod);
    const address = mode === "shared" ? sharedAddress : await this.#addressFor(uid, pod, wanted);
    const taken = mode === "shared" ? wanted : await portsTaken(address, wanted);
    const ports: Record<string, number> = {};
    for (const port of wanted) ports[port] = taken.includes(port) ? await this.#ports.take(uid, address) : port;
    return { address, ports, devices: {} };
  }

  /** The address that the pod had, or a new one whose ports are free: a server of the user's may hold one on all addresses. */
  async #addressFor(uid: string, pod: Pod, ports: readonly number[]): Promise<string> {
    const wished = pod.status?.podIP;
    let address = this.#addresses.take(uid, wished);
    for (let turn = 1; turn < tries && address !== wished; turn += 1) {
      if ((await portsTaken(address, ports)).length === 0) break;
      this.#addresses.release(uid);
      address = this.#addresses.take(uid);
    }
    return address;
  }
}

/** A pod on the host's network listens where the host does. */
export const isOnHost = ({ spec }: Pod): boolean => spec?.hostNetwork === true;
