import type { KubeClient } from "@trivium/kube";
import type { Clock } from "@trivium/runtime";
import type { ContainerEngine } from "../containers/container-engine.ts";
import type { Accelerator } from "../devices/accelerators.ts";
import type { ImageRow, OwnPrograms } from "../images/image-row.ts";
import type { HostRoot } from "../volumes/host-path.ts";
import type { TokenIssuer } from "../volumes/token-issuer.ts";
import type { ProcessUser } from "./security-context.ts";

export interface SandboxSetupOptions {
  /** The folder of the node; rooms are in `rooms/` under it. */
  readonly root: string;
  readonly client: KubeClient;
  readonly clock?: Clock;
  readonly node: {
    readonly name: string;
    readonly address: string;
    /** What the node can give, for containers that ask for their limit and have none. */
    readonly allocatable?: Readonly<Record<string, string>>;
    /** Given to containers that ask for them, each card to one. */
    readonly accelerators?: readonly Accelerator[];
  };
  /** Who gives tokens of service accounts. Without one, pods that want a token wait. */
  readonly tokens?: TokenIssuer;
  /** Rows of the user, tried before the known ones. */
  readonly images?: readonly ImageRow[];
  readonly programs?: OwnPrograms;
  /** Runs containers as they are; left out, images are programs of this machine. */
  readonly containers?: ContainerEngine;
  /** Where programs are looked for, and the PATH of processes. */
  readonly searchPath?: string;
  /** LD_LIBRARY_PATH of processes: programs on a search path of the user's own mostly have their libraries beside them. */
  readonly libraryPath?: string | undefined;
  /** Folders that `hostPath` volumes may be in. None when left out. */
  readonly hostRoots?: readonly HostRoot[];
  /** Where the volumes of claims are. Left out: `claims/` under the root. */
  readonly claimsRoot?: string;
  /** `auto` gives each pod its own address where the machine can. */
  readonly addresses?: "auto" | "shared";
  /** Where processes reach the API, when that is not the cluster address of the Service `kubernetes`. */
  readonly apiServer?: { readonly host: string; readonly port: number };
  /** Who processes run as; left out, the user of this process. */
  readonly user?: ProcessUser;
  readonly onError?: (what: string, error: unknown) => void;
}

/** What a process finds programs by where nobody says otherwise. */
export const defaultSearchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin";
