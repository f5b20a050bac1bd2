import { digest } from "./satisfied.ts";

/** Tells a few messages about one object apart. A longer part of a digest would keep the whole of it. */
export const pieceLength = 8;

/**
 * A short text in the place of a value. Those of several values follow each other in one text, which takes a fraction of the space of a set:
 * there are thousands of objects with one message each.
 */
export const pieceOf = (value: unknown): string => digest(value).slice(0, pieceLength);

export function hasPiece(pieces: string, piece: string): boolean {
  for (let at = 0; at < pieces.length; at += pieceLength) if (pieces.startsWith(piece, at)) return true;
  return false;
}
