import { annotations } from "../../labels.ts";
import type { Service, ServiceStatus } from "../names/names.ts";

/** What was chosen for this very spec stands, unless somebody asks for a new choice. */
export function keptTemplate({ metadata, status }: Service): ServiceStatus["resolvedTemplate"] {
  // AIM Engine does not write which generation it has seen.
  const { observedGeneration = metadata.generation } = status ?? {};
  const isSame = observedGeneration === metadata.generation;
  const isAsked = metadata.annotations?.[annotations.reselect] === "true";
  return isSame && !isAsked ? status?.resolvedTemplate : undefined;
}
