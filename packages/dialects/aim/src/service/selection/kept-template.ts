import { annotations } from "../../labels.ts";
import type { Service, ServiceStatus } from "../names/names.ts";

/** What was chosen for this very spec stands, unless somebody asks for a new choice. */
export function keptTemplate({ metadata, status }: Service): ServiceStatus["resolvedTemplate"] {
  const isSame = status?.observedGeneration === metadata.generation;
  const isAsked = metadata.annotations?.[annotations.reselect] === "true";
  return isSame && !isAsked ? status?.resolvedTemplate : undefined;
}
