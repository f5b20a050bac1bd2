import type { InstalledBuild } from "./engine-builds.ts";

/** How a container asks for its program, in words of this machine: variables expanded, paths of volumes real. */
export interface ImageCall {
  readonly image: string;
  /** What the spec says instead of the image's entry point; empty when it says nothing. */
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: ReadonlyMap<string, string>;
  /** Names of variables whose values no list of processes may show. */
  readonly secrets: ReadonlySet<string>;
  /** Resources such as `nvidia.com/gpu` that it requests. */
  readonly accelerators: readonly string[];
}

/** What the rows may ask of the machine. */
export interface ImageMachine {
  /** The real path of a program, or undefined where there is none. */
  which(program: string): string | undefined;
  /** Whether Python finds a module. */
  hasModule(module: string): Promise<boolean>;
  /** The GGUF file that a path means: itself, or the one in a folder. */
  findGguf(path: string): Promise<string | undefined>;
  /** Programs of our own: the command lines by which they start. */
  readonly programs: OwnPrograms;
  /** The folder in which scripts find our own programs, and the PATH of scripts that do. */
  readonly shims: { readonly folder: string; readonly path: string };
}

/** Variables of the user's own login to one kind of source. */
export interface Login {
  readonly env: Readonly<Record<string, string>>;
  /** A container that sets one of these has a login, or a server, of its own: a login is sent only where its owner sends it. */
  readonly isOwn: (variable: string) => boolean;
}

export interface OwnPrograms {
  /** The local engine, with the flags of llama-server. */
  readonly engine?: readonly string[];
  /** Variables that the local engine gets beside those of its container. */
  readonly engineEnvironment?: Readonly<Record<string, string>>;
  /** Builds of the local engine for GPUs, as they are installed at the moment. */
  readonly engineBuilds?: () => readonly InstalledBuild[];
  /** `trivium-weights`. */
  readonly weights?: readonly string[];
  /** Variables that `trivium-weights` gets where its container does not set them: the hub, proxies, certificates. */
  readonly weightsEnvironment?: Readonly<Record<string, string>>;
  /** Stores of weights on this disk, as they are at the moment: what one of them has is not downloaded again. */
  readonly weightsPeers?: () => readonly string[];
  /** Logins that `trivium-weights` gets; no other program sees them. */
  readonly weightsLogins?: readonly Login[];
  /** `trivium-bench`, the load generator. */
  readonly load?: readonly string[];
}

/** How a program is told something: by a flag with a value, by a variable, or both. */
export interface Parameter {
  /** All names of the flag; the first is used where the container does not use any. */
  readonly flags?: readonly string[];
  readonly env?: string;
}

/** How a program is told where to listen. */
export interface Listening {
  readonly host?: Parameter;
  readonly port?: Parameter & { readonly usual?: number };
}

/** What is run for a container, before it is told where to listen; or why nothing can be. */
export type ImagePlan =
  | {
      readonly is: "runs";
      readonly argv: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly listening?: Listening;
      /** Programs that talk to it from inside the container, and how they are told where it listens. */
      readonly clients?: Readonly<Record<string, Listening>>;
      /** The folder of the container in which it starts when the spec names none. */
      readonly workingDir?: string;
      /** The model server of the image, where the local engine runs in its place. */
      readonly standsInFor?: string;
      /** Lines for the container's log. */
      readonly notes?: readonly string[];
    }
  | { readonly is: "impossible"; readonly why: string }
  /** The local engine could run it with something that can be installed; the text names it. */
  | { readonly is: "lacking"; readonly why: string };

/** One row of the table: images, and how they run without a container. */
export interface ImageRow {
  readonly match: readonly string[];
  plan(call: ImageCall, machine: ImageMachine): ImagePlan | Promise<ImagePlan>;
}
