import type { RepositoryFile, WantedArtifact } from "@trivium/domain";
import { deepEqual } from "@trivium/std";

/** One wish and how far it is. */
export interface Lifecycle {
  wanted: WantedArtifact;
  /** A wish before it that was other, whose files have to go first. */
  outdated: WantedArtifact | undefined;
  /** Ends what is under way for it. */
  stop: AbortController;
  failures: number;
  cancelRetry: (() => void) | undefined;
  /** The folder that is its own: it has files there, or is about to. */
  place: string | undefined;
  /** Whose folder is in the way. */
  blockedBy: string | undefined;
  /** Whether its folder and its Secret were found good, so that it may wait for its turn to download. */
  isChecked: boolean;
  /** The files of its source, as soon as they were listed. */
  listed: readonly RepositoryFile[] | undefined;
  /** Whether the disk was too full for it. */
  lacksSpace: boolean;
  isQueued: boolean;
  isRunning: boolean;
  isLeaving: boolean;
}

/** `before` is what the disk has of it. */
export function lifecycleOf(wanted: WantedArtifact, before: WantedArtifact | undefined): Lifecycle {
  return {
    wanted,
    outdated: before !== undefined && isElsewhere(before, wanted) ? before : undefined,
    stop: new AbortController(),
    failures: 0,
    cancelRetry: undefined,
    place: before?.path,
    blockedBy: undefined,
    isChecked: false,
    listed: undefined,
    lacksSpace: false,
    isQueued: false,
    isRunning: false,
    isLeaving: false,
  };
}

export const isFetched = ({ wanted, isLeaving }: Lifecycle): boolean => !isLeaving && wanted.source.is === "fetched";

/** What is wrong with a wish is said at once; only then it waits behind other downloads. */
export const isDownload = (lifecycle: Lifecycle): boolean => isFetched(lifecycle) && lifecycle.isChecked;

/** What is done with the files in the end changes nothing now. */
export function isSameWork(a: WantedArtifact, b: WantedArtifact): boolean {
  const { afterwards: _, ...ours } = a;
  const { afterwards: __, ...theirs } = b;
  return deepEqual(ours, theirs);
}

/** Whether the same files are wanted in the same place, and only the permit to download them is another. */
export function isSamePlace({ permit: _, ...a }: WantedArtifact, { permit: __, ...b }: WantedArtifact): boolean {
  return isSameWork(a, b);
}

export const isElsewhere = (before: WantedArtifact, now: WantedArtifact): boolean =>
  before.path !== now.path || !deepEqual(before.source, now.source);

/** Whether the files stay and only their folder is another: then they need not be fetched again. */
export function canMove({ outdated, wanted }: Lifecycle): boolean {
  return outdated !== undefined && deepEqual(outdated.source, wanted.source) && !overlaps(outdated.path, wanted.path);
}

/** Whether one folder is the other or lies in it. */
export const overlaps = (a: string, b: string): boolean => {
  const [one, other] = [a.replace(/\/+$/, ""), b.replace(/\/+$/, "")];
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
};

/** The folder whose files must not be touched for another's sake: its own, or one that somebody else filled for it. */
export function placeOf({ place, wanted, isLeaving }: Lifecycle): string | undefined {
  return place ?? (wanted.source.is === "present" && !isLeaving ? wanted.path : undefined);
}

/** Who has a folder already that other files should come to: whoever was first keeps it. The same files in the same folder are welcome. */
export function findOccupant(lifecycle: Lifecycle, all: Iterable<Lifecycle>): Lifecycle | undefined {
  const { wanted, place } = lifecycle;
  if (wanted.source.is !== "fetched" || place === wanted.path) return undefined;
  for (const other of all) {
    if (other === lifecycle) continue;
    if (other.outdated !== undefined && overlaps(other.outdated.path, wanted.path)) return other;
    const theirs = placeOf(other);
    if (theirs === undefined || !overlaps(theirs, wanted.path)) continue;
    const isSame = theirs === wanted.path && !other.isLeaving && deepEqual(other.wanted.source, wanted.source);
    if (!isSame) return other;
  }
  return undefined;
}
