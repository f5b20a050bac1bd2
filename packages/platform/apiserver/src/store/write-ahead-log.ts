import { readFileSync } from "node:fs";

/** The layout of SQLite's write-ahead log: a header, then frames of a small header and one page each. */
const headerSize = 32;
const frameHeaderSize = 24;
const magics = [0x377f0682, 0x377f0683];

/**
 * What is wrong with a write-ahead log, if anything. SQLite drops everything behind the first frame whose checksum fails,
 * which is right for a write that a crash cut short. But every transaction is synced before the next one begins, so only the
 * last one can be cut short: a bad frame with a later transaction behind it means that acknowledged writes were damaged, and
 * dropping them in silence would break the promise they were given.
 */
export function faultOfWriteAheadLog(path: string): string | undefined {
  const log = readLog(path);
  // Shorter than a header: the crash came before anything was logged.
  if (log.byteLength <= headerSize) return undefined;
  const magic = log.getUint32(0);
  const isLittleEndian = magic === magics[0];
  const sum = new Checksum(log, isLittleEndian);
  sum.add(0, 24);
  if (!magics.includes(magic) || !sum.matches(24)) return "the header of its write-ahead log is damaged";
  const frameSize = frameHeaderSize + log.getUint32(8);
  const frames = Math.floor((log.byteLength - headerSize) / frameSize);
  const at = (frame: number): number => headerSize + frame * frameSize;
  let frame = 0;
  while (frame < frames && isSound(log, sum, at(frame), frameSize)) frame++;
  const bad = frame;
  let sawCommit = false;
  for (; frame < frames; frame++) {
    // Frames left over from before the log was last started again carry other salts.
    if (!hasSalts(log, at(frame))) continue;
    if (sawCommit) return `frame ${bad} of its write-ahead log is damaged`;
    sawCommit = log.getUint32(at(frame) + 4) !== 0;
  }
  return undefined;
}

function readLog(path: string): DataView {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  return new DataView(buffer, byteOffset, byteLength);
}

function hasSalts(log: DataView, at: number): boolean {
  return log.getUint32(at + 8) === log.getUint32(16) && log.getUint32(at + 12) === log.getUint32(20);
}

function isSound(log: DataView, sum: Checksum, at: number, frameSize: number): boolean {
  if (!hasSalts(log, at)) return false;
  sum.add(at, 8);
  sum.add(at + frameHeaderSize, frameSize - frameHeaderSize);
  return sum.matches(at + 16);
}

/** The running checksum of the log: each frame's covers all frames before it. */
class Checksum {
  readonly #log: DataView;
  readonly #isLittleEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(log: DataView, isLittleEndian: boolean) {
    this.#log = log;
    this.#isLittleEndian = isLittleEndian;
  }

  add(from: number, length: number): void {
    let first = this.#first;
    let second = this.#second;
    for (let at = from; at < from + length; at += 8) {
      first = (first + this.#log.getInt32(at, this.#isLittleEndian) + second) | 0;
      second = (second + this.#log.getInt32(at + 4, this.#isLittleEndian) + first) | 0;
    }
    this.#first = first;
    this.#second = second;
  }

  matches(at: number): boolean {
    return this.#log.getInt32(at) === this.#first && this.#log.getInt32(at + 4) === this.#second;
  }
}
