import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type api, ConfigMap, Pod, Secret } from "@trivium/kube";
import { type Clock, systemClock } from "@trivium/runtime";
import { closePodNetwork, openPodNetwork } from "../containers/pod-network.ts";
import { prepareInContainer } from "../containers/prepare-in-container.ts";
import { writeShims } from "../images/shims.ts";
import type { Preparation, Room, Rooms } from "../sandboxes/process/launch.ts";
import { MountFault } from "../volumes/mount-fault.ts";
import { clearVolumesInMemory, PodVolumes, tellsOfPod } from "../volumes/pod-volumes.ts";
import { type AddressMode, findAddressMode } from "./addresses.ts";
import { type Allotment, Allotments } from "./allotments.ts";
import { announcePorts } from "./announce-ports.ts";
import type { References } from "./container-environment.ts";
import type { LocalRoom } from "./local-room.ts";
import { prepareContainer } from "./prepare-container.ts";
import { readRooms } from "./room-record.ts";
import type { RoomsOptions } from "./rooms-options.ts";
import { Shelf, type ShelfReader } from "./shelf.ts";

/** Where pods live on this machine. */
export interface LocalRooms extends Rooms {
  /** Whether each pod has an address of its own. */
  readonly mode: AddressMode;
  /** Lets go of everything that is watched; rooms and what runs in them stay. */
  stop(): Promise<void>;
}

/** Finds the rooms of an earlier agent, and makes new ones. */
export async function createRooms(options: RoomsOptions): Promise<LocalRooms> {
  const root = join(options.root, "rooms");
  await mkdir(root, { recursive: true, mode: 0o700 });
  await writeShims(join(options.root, "bin"), options.programs ?? {});
  const mode = options.addresses === "shared" ? "shared" : await findAddressMode();
  const { address: hostAddress, accelerators = [] } = options.node;
  const allotments = new Allotments({ root, mode, hostAddress, accelerators });
  allotments.restore(await readRooms(root));
  return new RoomKeeper(root, { ...options, mode, allotments });
}

class RoomKeeper implements LocalRooms {
  readonly mode: AddressMode;
  readonly #root: string;
  readonly #options: RoomsOptions;
  readonly #allotments: Allotments;
  readonly #clock: Clock;
  readonly #shelf: Shelf;
  readonly #onError: (what: string, error: unknown) => void;
  readonly #rooms = new Map<string, LocalRoom>();
  readonly #opening = new Map<string, Promise<LocalRoom>>();
  /** Rooms whose volumes are not there yet. */
  readonly #unfinished = new Map<string, LocalRoom>();

  constructor(root: string, options: RoomsOptions & { mode: AddressMode; allotments: Allotments }) {
    const { client, clock = systemClock, onError = () => undefined } = options;
    this.mode = options.mode;
    this.#root = root;
    this.#options = options;
    this.#allotments = options.allotments;
    this.#clock = clock;
    this.#onError = onError;
    this.#shelf = new Shelf({ client, clock, onError });
  }

  open(pod: Pod): Promise<Room> {
    const uid = pod.metadata.uid ?? "";
    const open = this.#rooms.get(uid);
    if (open !== undefined) return Promise.resolve(open);
    const opening = this.#opening.get(uid) ?? this.#enter(uid, pod).finally(() => this.#opening.delete(uid));
    this.#opening.set(uid, opening);
    return opening;
  }

  async prepare(pod: Pod, container: api.Container, { uid }: Room): Promise<Preparation> {
    const room = this.#rooms.get(uid);
    if (room === undefined) throw new Error(`pod ${pod.metadata.namespace}/${pod.metadata.name} has no room here`);
    const input = { pod, container, room, references: referencesOf(room.reader) };
    const { containers } = this.#options;
    return containers === undefined || isOwnImage(container.image)
      ? prepareContainer(input, this.#options)
      : prepareInContainer(input, this.#options, containers);
  }

  async retain(uids: ReadonlySet<string>): Promise<void> {
    for (const uid of (await readRooms(this.#root)).keys()) if (!uids.has(uid)) await this.#close(uid);
  }

  async rest(): Promise<void> {
    const { containers } = this.#options;
    if (containers === undefined) return;
    await Promise.all([...this.#rooms.keys()].map((uid) => closePodNetwork(containers, uid)));
  }

  async stop(): Promise<void> {
    for (const { reader, volumes } of [...this.#rooms.values(), ...this.#unfinished.values()]) {
      reader.release();
      volumes.rest();
    }
    await this.#shelf.stop();
  }

  async #enter(uid: string, pod: Pod): Promise<LocalRoom> {
    const room = this.#unfinished.get(uid) ?? (await this.#make(uid, pod));
    // From before the first read, so that nothing that comes meanwhile is missed.
    const until = room.reader.untilChange();
    try {
      await room.volumes.mount();
      await announcePorts(this.#options.client, pod, room.allotment.ports);
      await this.#openNetwork(pod, room);
    } catch (error) {
      this.#unfinished.set(uid, room);
      this.#lookAfter(pod, room.reader);
      throw error instanceof MountFault ? new MountFault(error.message, until) : error;
    }
    this.#unfinished.delete(uid);
    this.#rooms.set(uid, room);
    if (tellsOfPod(pod)) this.#followPod(pod, room);
    return room;
  }

  /** Where a container engine runs the pod, its containers share a network that only the engine can make. */
  async #openNetwork(pod: Pod, { uid, address, allotment }: LocalRoom): Promise<void> {
    const { containers } = this.#options;
    if (containers === undefined) return;
    const hostname = pod.spec?.hostname || (pod.metadata.name ?? "").slice(0, 63);
    await openPodNetwork(containers, { uid, hostname, address, ports: allotment.ports });
  }

  /** Nobody closes a room that was never opened, so it is watched whether its pod is still wanted. */
  #lookAfter(pod: Pod, reader: ShelfReader): void {
    const { uid = "", namespace = "default", name = "" } = pod.metadata;
    const readerOf = async () => {
      const observed = await reader.read(Pod, { namespace, name });
      const isWanted = observed?.metadata.uid === uid && observed.metadata.deletionTimestamp === undefined;
      if (!isWanted && this.#unfinished.has(uid)) await this.#close(uid);
    };
    readerOf().catch((error: unknown) => this.#onError(`looking after pod ${namespace}/${name}`, error));
  }

  /** Reads the pod, so that its changes wake the room. */
  #followPod({ metadata }: Pod, { reader, volumes }: LocalRoom): void {
    const { uid, namespace = "default", name = "" } = metadata;
    const follow = async () => {
      const observed = await reader.read(Pod, { namespace, name });
      if (observed?.metadata.uid === uid && observed !== undefined) await volumes.follow(observed);
    };
    follow().catch((error: unknown) => this.#onError(`following pod ${namespace}/${name}`, error));
  }

  async #make(uid: string, pod: Pod): Promise<LocalRoom> {
    const folder = join(this.#root, uid);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const allotment = await this.#allotments.allot(uid, pod, folder);
    const reader = this.#shelf.reader(() => {
      const room = this.#rooms.get(uid);
      if (room === undefined) this.#lookAfter(pod, reader);
      else void room.volumes.update();
      if (room !== undefined && tellsOfPod(pod)) this.#followPod(pod, room);
    });
    const volumes = this.#volumesOf(pod, folder, { reader, allotment });
    const room: LocalRoom = {
      uid,
      address: allotment.address,
      folder,
      allotment,
      reader,
      volumes,
      isOpen: () => this.#rooms.get(uid) === room,
      close: () => this.#close(uid),
    };
    return room;
  }

  #volumesOf(pod: Pod, folder: string, has: { reader: ShelfReader; allotment: Allotment }): PodVolumes {
    const { client, node, tokens = noTokens, hostRoots = [], claimsRoot, root } = this.#options;
    return new PodVolumes(pod, {
      folder: join(folder, "volumes"),
      client,
      clock: this.#clock,
      hostRoots,
      claimsRoot: claimsRoot ?? join(root, "claims"),
      tokens,
      place: { address: has.allotment.address, hostAddress: node.address, nodeName: node.name },
      allocatable: node.allocatable ?? {},
      references: referencesOf(has.reader),
      onError: this.#onError,
    });
  }

  async #close(uid: string): Promise<void> {
    const room = this.#rooms.get(uid) ?? this.#unfinished.get(uid);
    this.#rooms.delete(uid);
    this.#unfinished.delete(uid);
    room?.reader.release();
    if (this.#options.containers !== undefined) await closePodNetwork(this.#options.containers, uid);
    await room?.volumes.close();
    const folder = join(this.#root, uid);
    await clearVolumesInMemory(uid, join(folder, "volumes"));
    await rm(folder, { recursive: true, force: true });
    this.#allotments.release(uid);
  }
}

/** The image of our own downloader is this very build, wherever it runs. */
const isOwnImage = (image = ""): boolean => /(^|\/)trivium-weights[:@]/.test(image);

function referencesOf(reader: ShelfReader): References {
  return {
    secret: (namespace, name) => reader.read(Secret, { namespace, name }),
    configMap: (namespace, name) => reader.read(ConfigMap, { namespace, name }),
  };
}

const noTokens = {
  issue: () => Promise.reject(new MountFault("this node has nobody to ask for tokens of service accounts")),
};
