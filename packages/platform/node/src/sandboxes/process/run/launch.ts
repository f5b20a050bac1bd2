import type { api, Pod } from "@trivium/kube";
import type { Waiting } from "../../../sandbox.ts";

/** Everything that a process of a container needs to begin, in words of this machine. */
export interface Launch {
  readonly argv: readonly string[];
  /** The whole environment: nothing is added to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly uid?: number;
  readonly gid?: number;
  /** Where it listens, and where probes look for it. */
  readonly address: string;
  /** From the port that the spec names to the one it listens on. A port that is not in it is itself. */
  readonly ports: ReadonlyMap<number, number>;
  readonly limits: { readonly memoryBytes?: bigint | number; readonly cpuMillis?: number };
  /** A file of this machine whose text becomes the termination message. */
  readonly terminationMessagePath?: string;
  /** What the status says was run; left out, it is made from the image's name. */
  readonly imageId?: string;
}

/** What a command that is run for a client has. */
export interface Interaction {
  readonly stdin: boolean;
  readonly tty: boolean;
}

export type Preparation =
  | {
      readonly is: "ready";
      readonly launch: Launch;
      /** A command that the spec gives for inside the container (exec probe, hook), as it runs here. Left out: as it is. */
      readonly commandOf?: (command: readonly string[], interaction?: Interaction) => readonly string[];
      /** What a person should know of how it runs here: its log begins with these lines. */
      readonly notes?: readonly string[];
      /** What the security context asks for and a process does not get, in a sentence for an Event of the pod. */
      readonly unenforced?: string;
    }
  /** It cannot begin as things are; it is asked for again later. `meanwhile` is what it waits for until then. */
  | {
      readonly is: "refused";
      readonly reason: string;
      readonly message: string;
      /** What to do, for the Event. */
      readonly advice?: string;
      readonly meanwhile: Waiting;
      /** Resolves when asking again makes sense, should that be sooner. */
      readonly until?: Promise<void>;
    };

/** What a pod has on this machine before its processes begin, and as long as they run: an address, its volumes. */
export interface Setup {
  readonly uid: string;
  readonly address: string;
  /** Nothing of the pod runs any more: address and volumes go. */
  close(): Promise<void>;
}

export interface SandboxSetup {
  /** Asked again for a pod it has, also by an agent that came back, it gives the same room with the same address. Throws what a person should read. */
  open(pod: Pod): Promise<Setup>;
  /** Asked again for a container that runs, by an agent that came back, it says the same, as far as the world has not changed. */
  prepare(pod: Pod, container: api.Container, setup: Setup): Promise<Preparation>;
  /** Clears away the rooms of all pods but these. Nothing of the others runs. */
  retain(uids: ReadonlySet<string>): Promise<void>;
  /** All processes have ended for now: what else runs for the pods ends too. The rooms stay. */
  rest?(): Promise<void>;
}
