import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const digest = (source: string | Uint8Array) => sha256(typeof source === "string" ? utf8ToBytes(source) : source);

export function sha256Hex(source: string | Uint8Array): string {
  return bytesToHex(digest(source));
}

/** No vowels and no characters that look alike, so that a hash never spells a word and can be read aloud. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** A short fingerprint made of lower-case letters and digits that starts with a letter: fit for any object name. */
export function shortHash(source: string | Uint8Array, length = 10): string {
  let rest = BigInt(`0x${bytesToHex(digest(source))}`);
  // Digits are last in the alphabet, so the first character is taken from the letters alone.
  const hash = [alphabet[Number(rest % 20n)]];
  rest /= 20n;
  while (hash.length < length) {
    hash.push(alphabet[Number(rest % 27n)]);
    rest /= 27n;
  }
  // In one piece of memory: what grows by a character at a time is kept as a tree of them.
  return hash.join("");
}
