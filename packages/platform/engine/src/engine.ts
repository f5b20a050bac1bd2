import type { Settings } from "./flags/settings.ts";
import type { Capacity } from "./model/capacity.ts";
import type { LoadedModel } from "./model/messages.ts";
import type { Model } from "./model/model.ts";
import type { ModelFileHeader } from "./model/model-header.ts";
import type { SlotPool } from "./slots.ts";
import type { Tally } from "./tally.ts";

/** Everything a request may need once the model is loaded. */
export interface Engine {
  readonly settings: Settings;
  readonly header: ModelFileHeader;
  readonly capacity: Capacity;
  readonly model: Model;
  readonly about: LoadedModel;
  readonly pool: SlotPool;
  readonly tally: Tally;
  /** The name that answers carry. */
  readonly name: string;
  readonly startedAt: number;
}
