import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type api, ConfigMap, Pod, Secret } from "@trivium/kube";
import { type Clock, systemClock } from "@trivium/runtime";
import { closePodNetwork, openPodNetwork } from "../containers/pod-network.ts";
import { prepareInContainer } from "../containers/prepare-in-container.ts";
import { writeShims } from "../images/shims.ts";
import type { Preparation, SandboxSetup, Setup } from "../sandboxes/process/run/launch.ts";
import { MountFault } from "../volumes/mount-fault.ts";
import { clearVolumesInMemory, PodVolumes, tellsOfPod } from "../volumes/pod-volumes.ts";
import { type AddressMode, findAddressMode } from "./addresses/addresses.ts";
import { type Allocation, Allocations } from "./addresses/allocations.ts";
import { announcePorts } from "./addresses/announce-ports.ts";
import type { References } from "./environment/container-environment.ts";
import type { LocalSetup } from "./local-setup.ts";
import type { SandboxSetupOptions } from "./options.ts";
import { prepareContainer } from "./prepare-container.ts";
import { readSetups } from "./setup-record.ts";
import { VolumeCache, type VolumeCacheReader } from "./volume-cache.ts";

/** Where pods live on this machine. */
export interface LocalSandboxSetup extends SandboxSetup {
  /** Whether each pod has an address of its own. */
  readonly mode: AddressMode;
  /** Lets go of everything that is watched; rooms and what runs in them stay. */
  stop(): Promise<void>;
}

/** Finds the rooms of an earlier agent, and makes new ones. */
export async function createSandboxSetup(options: SandboxSetupOptions): Promise<LocalSandboxSetup> {
  const root = join(options.root, "rooms");
  await mkdir(root, { recursive: true, mode: 0o700 });
  await writeShims(join(options.root, "bin"), options.programs ?? {});
  const mode = options.addresses === "shared" ? "shared" : await findAddressMode();
  const { address: hostAddress, accelerators = [] } = options.node;
  const allocations = new Allocations({ root, mode, hostAddress, accelerators });
  allocations.restore(await readSetups(root));
  return new SandboxSetups(root, { ...options, mode, allocations });
}

class SandboxSetups implements LocalSandboxSetup {
  readonly mode: AddressMode;
  readonly #root: string;
  readonly #options: SandboxSetupOptions;
  readonly #allocations: Allocations;
  readonly #clock: Clock;
  readonly #volumeCache: VolumeCache;
  readonly #onError: (what: string, error: unknown) => void;
  readonly #setups = new Map<string, LocalSetup>();
  readonly #opening = new Map<string, Promise<LocalSetup>>();
  /** Rooms whose volumes are not there yet. */
  readonly #unfinished = new Map<string, LocalSetup>();

  constructor(root: string, options: SandboxSetupOptions & { mode: AddressMode; allocations: Allocations }) {
    const { client, clock = systemClock, onError = () => undefined } = options;
    this.mode = options.mode;
    this.#root = root;
    this.#options = options;
    this.#allocations = options.allocations;
    this.#clock = clock;
    this.#onError = onError;
    this.#volumeCache = new VolumeCache({ client, clock, onError });
  }

  open(pod: Pod): Promise<Setup> {
    const uid = pod.metadata.uid ?? "";
    const open = this.#setups.get(uid);
    if (open !== undefined) return Promise.resolve(open);
    const opening = this.#opening.get(uid) ?? this.#enter(uid, pod).finally(() => this.#opening.delete(uid));
    this.#opening.set(uid, opening);
    return opening;
  }

  async prepare(pod: Pod, container: api.Container, { uid }: Setup): Promise<Preparation> {
    const setup = this.#setups.get(uid);
    if (setup === undefined) throw new Error(`pod ${pod.metadata.namespace}/${pod.metadata.name} has no sandbox`);
    const input = { pod, container, setup, references: referencesOf(setup.reader) };
    const { containers } = this.#options;
    return containers === undefined || isOwnImage(container.image)
      ? prepareContainer(input, this.#options)
      : prepareInContainer(input, this.#options, containers);
  }

  async retain(uids: ReadonlySet<string>): Promise<void> {
    for (const uid of (await readSetups(this.#root)).keys()) if (!uids.has(uid)) await this.#close(uid);
  }

  async rest(): Promise<void> {
    const { containers } = this.#options;
    if (containers === undefined) return;
    await Promise.all([...this.#setups.keys()].map((uid) => closePodNetwork(containers, uid)));
  }

  async stop(): Promise<void> {
    for (const { reader, volumes } of [...this.#setups.values(), ...this.#unfinished.values()]) {
      reader.release();
      volumes.rest();
    }
    await this.#volumeCache.stop();
  }

  async #enter(uid: string, pod: Pod): Promise<LocalSetup> {
    const setup = this.#unfinished.get(uid) ?? (await this.#make(uid, pod));
    // From before the first read, so that nothing that comes meanwhile is missed.
    const until = setup.reader.untilChange();
    try {
      await setup.volumes.mount();
      await announcePorts(this.#options.client, pod, setup.allocation.ports);
      await this.#openNetwork(pod, setup);
    } catch (error) {
      this.#unfinished.set(uid, setup);
      this.#lookAfter(pod, setup.reader);
      throw error instanceof MountFault ? new MountFault(error.message, until) : error;
    }
    this.#unfinished.delete(uid);
    this.#setups.set(uid, setup);
    if (tellsOfPod(pod)) this.#followPod(pod, setup);
    return setup;
  }

  /** Where a container engine runs the pod, its containers share a network that only the engine can make. */
  async #openNetwork(pod: Pod, { uid, address, allocation }: LocalSetup): Promise<void> {
    const { containers } = this.#options;
    if (containers === undefined) return;
    const hostname = pod.spec?.hostname || (pod.metadata.name ?? "").slice(0, 63);
    await openPodNetwork(containers, { uid, hostname, address, ports: allocation.ports });
  }

  /** Nobody closes a room that was never opened, so it is watched whether its pod is still wanted. */
  #lookAfter(pod: Pod, reader: VolumeCacheReader): void {
    const { uid = "", namespace = "default", name = "" } = pod.metadata;
    const readerOf = async () => {
      const observed = await reader.read(Pod, { namespace, name });
      const isWanted = observed?.metadata.uid === uid && observed.metadata.deletionTimestamp === undefined;
      if (!isWanted && this.#unfinished.has(uid)) await this.#close(uid);
    };
    readerOf().catch((error: unknown) => this.#onError(`cannot check pod ${namespace}/${name}`, error));
  }

  /** Reads the pod, so that its changes wake the room. */
  #followPod({ metadata }: Pod, { reader, volumes }: LocalSetup): void {
    const { uid, namespace = "default", name = "" } = metadata;
    const follow = async () => {
      const observed = await reader.read(Pod, { namespace, name });
      if (observed?.metadata.uid === uid && observed !== undefined) await volumes.follow(observed);
    };
    follow().catch((error: unknown) => this.#onError(`cannot update the volumes of pod ${namespace}/${name}`, error));
  }

  async #make(uid: string, pod: Pod): Promise<LocalSetup> {
    const folder = join(this.#root, uid);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const allocation = await this.#allocations.allot(uid, pod, folder);
    const reader = this.#volumeCache.reader(() => {
      const setup = this.#setups.get(uid);
      if (setup === undefined) this.#lookAfter(pod, reader);
      else void setup.volumes.update();
      if (setup !== undefined && tellsOfPod(pod)) this.#followPod(pod, setup);
    });
    const volumes = this.#volumesOf(pod, folder, { reader, allocation });
    const setup: LocalSetup = {
      uid,
      address: allocation.address,
      folder,
      allocation,
      reader,
      volumes,
      isOpen: () => this.#setups.get(uid) === setup,
      close: () => this.#close(uid),
    };
    return setup;
  }

  #volumesOf(pod: Pod, folder: string, has: { reader: VolumeCacheReader; allocation: Allocation }): PodVolumes {
    const { client, node, tokens = noTokens, hostRoots = [], claimsRoot, root } = this.#options;
    return new PodVolumes(pod, {
      folder: join(folder, "volumes"),
      client,
      clock: this.#clock,
      hostRoots,
      claimsRoot: claimsRoot ?? join(root, "claims"),
      tokens,
      place: { address: has.allocation.address, hostAddress: node.address, nodeName: node.name },
      allocatable: node.allocatable ?? {},
      references: referencesOf(has.reader),
      onError: this.#onError,
    });
  }

  async #close(uid: string): Promise<void> {
    const setup = this.#setups.get(uid) ?? this.#unfinished.get(uid);
    this.#setups.delete(uid);
    this.#unfinished.delete(uid);
    setup?.reader.release();
    if (this.#options.containers !== undefined) await closePodNetwork(this.#options.containers, uid);
    await setup?.volumes.close();
    const folder = join(this.#root, uid);
    await clearVolumesInMemory(uid, join(folder, "volumes"));
    await rm(folder, { recursive: true, force: true });
    this.#allocations.release(uid);
  }
}

/** The image of our own downloader is this very build, wherever it runs. */
const isOwnImage = (image = ""): boolean => /(^|\/)trivium-weights[:@]/.test(image);

function referencesOf(reader: VolumeCacheReader): References {
  return {
    secret: (namespace, name) => reader.read(Secret, { namespace, name }),
    configMap: (namespace, name) => reader.read(ConfigMap, { namespace, name }),
  };
}

const noTokens = {
  issue: () => Promise.reject(new MountFault("this node cannot issue service account tokens")),
};
