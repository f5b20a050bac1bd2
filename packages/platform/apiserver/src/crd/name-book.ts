import type { Definition, DefinitionNames } from "./definition.ts";
import { namesTakenBy, type TakenNames } from "./names.ts";

/** Which CRD holds which names, so that nobody has to read all CRDs again to know. */
export interface NameBook {
  note(crd: Definition): void;
  forget(name: string): void;
  /** Names in the CRD's group that others hold. */
  takenFrom(crd: Definition): TakenNames;
  /** CRDs of a group that did not get all the names they asked for. */
  waitingIn(group: string): string[];
}

interface Holding {
  readonly group: string;
  readonly accepted: DefinitionNames | undefined;
  readonly isWaiting: boolean;
}

export function createNameBook(): NameBook {
  const holdings = new Map<string, Holding>();
  return {
    note: ({ metadata, spec, status }) => {
      const isWaiting = (status?.conditions ?? []).some(
        ({ type, status }) => type === "NamesAccepted" && status === "False",
      );
      holdings.set(metadata.name ?? "", { group: spec.group, accepted: status?.acceptedNames, isWaiting });
    },
    forget: (name) => holdings.delete(name),
    takenFrom: (crd) => {
      const others = [...holdings].filter(
        ([name, { group }]) => group === crd.spec.group && name !== crd.metadata.name,
      );
      return namesTakenBy(others.map(([, { accepted }]) => accepted));
    },
    waitingIn: (group) => [...holdings].filter(([, one]) => one.group === group && one.isWaiting).map(([name]) => name),
  };
}
