import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { api, Pod } from "@trivium/kube";
import type { Cancel, Clock } from "@trivium/runtime";
import type { MountedPath } from "../sandbox-setup/rewrite/rewrite-paths.ts";
import { type ClaimSource, claimFolder } from "./claim-folder.ts";
import { clearMemory, makeEmptyFolder } from "./empty-folder.ts";
import { hostFolder } from "./host-path.ts";
import { MountFault } from "./mount-fault.ts";
import { type Payload, type PayloadInput, payloadOf } from "./payload.ts";
import { subFolder } from "./sub-path.ts";
import { rememberingTokens } from "./token-issuer.ts";
import { writePayload } from "./write-payload.ts";

export interface PodVolumesOptions extends ClaimSource, Omit<PayloadInput, "pod"> {
  /** A folder for the volumes of this pod alone. */
  readonly folder: string;
  readonly clock: Clock;
  readonly onError: (what: string, error: unknown) => void;
}

/** The volumes of one pod as folders of this machine, and what the API gives for them kept up to date. */
export class PodVolumes {
  readonly #options: PodVolumesOptions;
  readonly #folders = new Map<string, string>();
  #pod: Pod;
  #updating: Promise<void> = Promise.resolve();
  #isUpdateDue = false;
  #cancelRenewal: Cancel | undefined;
  #isClosed = false;

  constructor(pod: Pod, options: PodVolumesOptions) {
    const { clock, tokens } = options;
    this.#pod = pod;
    this.#options = { ...options, tokens: rememberingTokens(tokens, () => clock.now()) };
  }

  /** Makes or finds the folders of all volumes. Done again, it changes nothing that is as it should be. */
  async mount(): Promise<void> {
    for (const volume of this.#pod.spec?.volumes ?? []) {
      try {
        this.#folders.set(volume.name, await this.#mountOne(volume));
      } catch (error) {
        if (!(error instanceof MountFault) && !isSystemError(error)) throw error;
        throw new MountFault(`MountVolume.SetUp failed for volume "${volume.name}" : ${error.message}`);
      }
    }
  }

  /** The pod as it is now: what volumes tell of its labels and annotations may have changed. */
  async follow(pod: Pod): Promise<void> {
    const isSame = isDeepStrictEqual(tellable(this.#pod), tellable(pod));
    this.#pod = pod;
    if (!isSame) await this.update();
  }

  /** Something that a volume shows has changed. */
  update(): Promise<void> {
    // One that has not begun yet will see this change too.
    if (this.#isUpdateDue) return this.#updating;
    this.#isUpdateDue = true;
    this.#updating = this.#updating.then(() => {
      this.#isUpdateDue = false;
      return this.#rewrite();
    });
    return this.#updating;
  }

  /** Where the mounts of a container are. Paths inside a volume that it asks for are made. */
  async mountsOf(container: api.Container, subPathOf: (mount: api.VolumeMount) => string): Promise<MountedPath[]> {
    const mounts: MountedPath[] = [];
    for (const mount of container.volumeMounts ?? []) {
      const folder = this.#folders.get(mount.name);
      if (folder === undefined) continue;
      const words = `"${mount.name}" of container "${container.name}"`;
      mounts.push({ mountPath: mount.mountPath, realPath: await subFolder(folder, subPathOf(mount), words) });
    }
    return mounts;
  }

  /** Nobody keeps the volumes up to date any more; they stay as they are. */
  rest(): void {
    this.#isClosed = true;
    this.#cancelRenewal?.();
  }

  /** Nothing uses the volumes any more. What is in the folder of the pod is for its owner to remove. */
  async close(): Promise<void> {
    this.rest();
    await this.#updating;
    await clearVolumesInMemory(this.#pod.metadata.uid ?? "", this.#options.folder);
  }

  async #mountOne(volume: api.Volume): Promise<string> {
    const { claimsRoot, client, hostRoots } = this.#options;
    const { name, emptyDir, hostPath, persistentVolumeClaim, ephemeral } = volume;
    const { namespace = "default", uid = "" } = this.#pod.metadata;
    const folder = join(this.#options.folder, name);
    if (emptyDir !== undefined) return makeEmptyFolder({ uid, volume: name, folder }, emptyDir.medium);
    if (hostPath !== undefined) return hostFolder(hostPath, hostRoots);
    const claimName =
      persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${this.#pod.metadata.name}-${name}`);
    if (claimName !== undefined) {
      return claimFolder({ client, claimsRoot, hostRoots }, { namespace, name: claimName });
    }
    const payload = await payloadOf(volume, this.#input());
    if (payload === undefined) {
      const type = Object.keys(volume).find((key) => key !== "name") ?? "unknown";
      throw new MountFault(`volumes of type ${type} are not supported on a local node`);
    }
    await writePayload(folder, payload.files);
    this.#renewLater(payload);
    return folder;
  }

  /** What cannot be had now stays as it was: a Secret that is deleted does not take its files away from a server that reads them. */
  async #rewrite(): Promise<void> {
    if (this.#isClosed) return;
    for (const volume of this.#pod.spec?.volumes ?? []) {
      if (!this.#folders.has(volume.name)) continue;
      try {
        const payload = await payloadOf(volume, this.#input());
        if (payload === undefined || this.#isClosed) continue;
        await writePayload(join(this.#options.folder, volume.name), payload.files);
        this.#renewLater(payload);
      } catch (error) {
        const { namespace, name } = this.#pod.metadata;
        if (!(error instanceof MountFault)) {
          this.#options.onError(`cannot update volume ${volume.name} of pod ${namespace}/${name}`, error);
        }
      }
    }
  }

  #renewLater({ renewAt }: Payload): void {
    if (renewAt === undefined || this.#isClosed) return;
    this.#cancelRenewal?.();
    const { clock } = this.#options;
    this.#cancelRenewal = clock.schedule(Math.max(1_000, renewAt - clock.now()), () => void this.update());
  }

  #input(): PayloadInput {
    const { place, allocatable, references, tokens } = this.#options;
    return { pod: this.#pod, place, allocatable, references, tokens };
  }
}

/** Whether a volume tells the pod of itself, so that changes of the pod matter. */
export function tellsOfPod({ spec }: Pod): boolean {
  return (spec?.volumes ?? []).some(
    ({ downwardAPI, projected }) =>
      downwardAPI !== undefined || projected?.sources?.some((source) => source.downwardAPI !== undefined) === true,
  );
}

const tellable = ({ metadata }: Pod) => ({ labels: metadata.labels, annotations: metadata.annotations });

/** The folder of a pod's volumes tells which there were, also when an earlier agent made them. */
export async function clearVolumesInMemory(uid: string, folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  await clearMemory(uid, names);
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "code" in error && typeof error.code === "string";
