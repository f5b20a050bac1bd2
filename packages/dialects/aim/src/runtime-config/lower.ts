import { parseDuration } from "@trivium/std";
import type { RuntimeConfig } from "../objects.ts";
import { bytesOf } from "../storage/claim-size.ts";
import { settingsOf } from "./settings/merge-settings.ts";
import { faultOfPathTemplate } from "./settings/path-template.ts";

/** What is wrong with the settings of a config, each with its field. */
export function lowerConfig({ spec }: RuntimeConfig): string[] {
  const { routing, headroomPercent = 0, env, maxCacheBytes } = settingsOf(spec ?? {});
  const path = routing.pathTemplate === undefined ? undefined : faultOfPathTemplate(routing.pathTemplate);
  const timeout = routing.requestTimeout;
  const nameless = env.some(({ name }) => name === "");
  return [
    ...(path === undefined ? [] : [`spec.routing.pathTemplate: ${path}`]),
    ...(headroomPercent < 0 ? ["spec.pvcHeadroomPercent must not be negative"] : []),
    ...(maxCacheBytes === undefined || bytesOf(maxCacheBytes) !== undefined
      ? []
      : [`spec.storage.maxCacheBytes: ${maxCacheBytes} is not a valid quantity (expected e.g. 500Gi or 2Ti)`]),
    ...(timeout === undefined || (parseDuration(timeout) ?? 0) > 0
      ? []
      : [`spec.routing.requestTimeout: ${timeout} is not a valid duration (expected e.g. 30s or 5m)`]),
    ...(nameless ? ["spec.env has a variable without a name"] : []),
  ];
}
