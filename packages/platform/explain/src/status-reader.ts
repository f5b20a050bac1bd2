import type { AnyObject, Condition } from "@trivium/kube";
import { type Dialect, plainStatusGuide, type StatusGuide } from "@trivium/reconcile";
import { failingConditions, readyOf, type Standing, standingOf } from "./standing.ts";
import { modelNameOf } from "./uses.ts";

/** Reads the status of objects of several dialects, each with the guide of its own. */
export interface StatusReader {
  guideOf(object: AnyObject): StatusGuide;
  standingOf(object: AnyObject): Standing;
  /** The condition that sums the others up. */
  readyOf(object: AnyObject): Condition | undefined;
  failingConditions(object: AnyObject): readonly Condition[];
  modelNameOf(service: AnyObject): string | undefined;
  /** Where it stands with what it depends on: one that waits for an object that only a person can mend waits for that person. */
  standingWith(object: AnyObject, others: readonly AnyObject[]): Standing;
}

export function createStatusReader(dialects: readonly Pick<Dialect, "group" | "statusGuide">[]): StatusReader {
  const byGroup = new Map(dialects.map(({ group, statusGuide }) => [group, statusGuide]));
  const guideOf = (object: AnyObject): StatusGuide => byGroup.get(groupOf(object)) ?? plainStatusGuide;
  const ofObject = (object: AnyObject): Standing => standingOf(object, guideOf(object));
  return {
    guideOf,
    standingOf: ofObject,
    standingWith(object, others) {
      const standing = ofObject(object);
      const isStuck = (other: AnyObject) => groupOf(other) === groupOf(object) && ofObject(other).is === "failed";
      return standing.is === "progressing" && others.some(isStuck) ? { ...standing, is: "failed" } : standing;
    },
    readyOf: (object) => readyOf(object, guideOf(object)),
    failingConditions: (object) => failingConditions(object, guideOf(object)),
    modelNameOf: (service) => modelNameOf(service, guideOf(service)),
  };
}

export const groupOf = ({ apiVersion }: AnyObject): string => apiVersion.split("/")[0] ?? "";
