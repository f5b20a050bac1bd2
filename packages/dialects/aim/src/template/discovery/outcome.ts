import type { Instant, Millis } from "@trivium/std";
import type { GpuAvailability } from "../../hardware/gpu-availability.ts";
import type { TemplateStatus } from "../../objects.ts";
import type { DiscoveryOptions } from "../../options.ts";
import type { Profile } from "./discovery-output.ts";

type Sources = NonNullable<TemplateStatus["modelSources"]>;
export type DiscoveryMemory = NonNullable<TemplateStatus["discovery"]>;

/** Where a template stands. */
export type TemplateOutcome =
  | {
      readonly is: "ready";
      readonly by: "Discovered" | "InlineModelSources";
      readonly profile: Profile;
      readonly sources: Sources;
      /** The tag of the image was moved: how asking it anew goes. What was found before stands meanwhile. */
      readonly refresh?: Asking;
    }
  | {
      readonly is: "unavailable";
      readonly reason: Extract<GpuAvailability, { is: "unavailable" }>["reason"];
      readonly message: string;
    }
  | { readonly is: "modelless"; readonly message: string }
  /** There is nowhere to run a Job. */
  | { readonly is: "homeless"; readonly message: string }
  | Asking;

export type Ready = Extract<TemplateOutcome, { is: "ready" }>;

/** How a question to an image stands. */
export type Asking =
  /** A Job should run; it may not yet. */
  | { readonly is: "waiting"; readonly job: string }
  | {
      readonly is: "running";
      readonly job: string;
      readonly isNew: boolean;
      readonly message: string;
      /** Its pod cannot be created. */
      readonly isRefused?: true;
    }
  | {
      readonly is: "stuck";
      readonly job: string;
      readonly reason: "ImagePullAuthFailure" | "ImageNotFound" | "ImagePullBackOff";
      readonly message: string;
    }
  | {
      readonly is: "failed";
      readonly reason: "JobFailed" | "DiscoveryParseFailed";
      readonly message: string;
      readonly isFinal: boolean;
    };

/** A verdict, what is to be remembered of it, and when time alone changes it. */
export interface Judgement {
  readonly outcome: TemplateOutcome;
  readonly memory?: DiscoveryMemory;
  readonly recheckIn?: Millis;
}

export interface LowerContext {
  readonly now: Instant;
  readonly options: DiscoveryOptions;
}

export interface JobContext extends LowerContext {
  readonly memory: DiscoveryMemory;
}
