import { createStatusReader } from "@trivium/explain";
import { dialects } from "@trivium/local";

/** How the status of an object of any dialect is read. */
export const reader = createStatusReader(dialects);

export const { standingOf, standingWith, readyOf, modelNameOf } = reader;
