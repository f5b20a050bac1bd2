import type { Standing } from "@trivium/explain";
import type { AnyObject } from "@trivium/kube";
import { collectionPathOf, type TableKind } from "../kube/apis.ts";
import { kindOf, reader } from "../kube/dialects.ts";
import { withHead } from "../kube/with-head.ts";
import { tableOf } from "../live/live-store.ts";
import { useTables } from "../live/use-tables.ts";

/** Where one object is that another one names. */
interface Place {
  readonly kind: TableKind;
  readonly path: string;
  readonly key: string;
}

const none: readonly AnyObject[] = [];
const waiting = new WeakMap<AnyObject, boolean>();

/** Whether what it depends on matters: what it waits for can be an object that needs a person, as `trivium get` has it. */
function isWaiting(object: AnyObject): boolean {
  const known = waiting.get(object) ?? reader.standingOf(object).is === "progressing";
  waiting.set(object, known);
  return known;
}

/** Of each name the places where the object can be, in their order. */
function placesOf(object: AnyObject, namespace: string | undefined): readonly (readonly Place[])[] {
  const { apiVersion, metadata } = object;
  return reader
    .guideOf(object)
    .uses(object)
    .map(({ kinds, name, namespace: home = metadata.namespace }) =>
      kinds
        .flatMap((kind) => kindOf(apiVersion, kind) ?? [])
        .map((kind) => ({
          kind,
          path: collectionPathOf(kind, namespace),
          key: `${kind.namespaced ? home : ""}/${name}`,
        })),
    );
}

/** Collections with what these objects wait for, as one text: equal texts are the same tables. */
export const usedPaths = (objects: readonly AnyObject[], namespace: string | undefined): string =>
  [
    ...new Set(
      objects.filter(isWaiting).flatMap((object) => placesOf(object, namespace).flatMap((all) => all.map(pathOf))),
    ),
  ]
    .sort()
    .join(" ");

const pathOf = ({ path }: Place): string => path;

/** What an object that waits depends on, of what the tables have. */
export const usedBy = (object: AnyObject, namespace: string | undefined): readonly AnyObject[] =>
  isWaiting(object) ? placesOf(object, namespace).flatMap((places) => firstOf(places)) : none;

function firstOf([place, ...others]: readonly Place[]): readonly AnyObject[] {
  if (place === undefined) return none;
  const { kind, path, key } = place;
  const found = tableOf(path).value.objects.get(key);
  return found === undefined ? firstOf(others) : [withHead(kind, found)];
}

export const pathsIn = (text: string): readonly string[] => text.split(" ").filter((path) => path !== "");

/** Where one service stands, current for as long as a component is on the page. */
export function useStanding(object: AnyObject): Standing {
  const { namespace } = object.metadata;
  useTables(pathsIn(usedPaths([object], namespace)));
  return reader.standingWith(object, usedBy(object, namespace));
}
