// Archives made block by block, so that a test can make those that no packer would.
export interface Packed {
  readonly path: string;
  readonly content?: Buffer | string;
  /** `0` file, `1` hard link, `2` symbolic link, `5` folder, `x` note of what follows. */
  readonly type?: string;
  readonly target?: string;
  /** Says another length than there is. */
  readonly size?: number;
}

export function tar(...entries: readonly Packed[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(1024)]);
}

export function paxPath(path: string): Packed {
  const record = ` path=${path}\n`;
  let length = record.length + 2;
  while (String(length).length + Buffer.byteLength(record) !== length) length++;
  return { path: "PaxHeader", type: "x", content: `${length}${record}` };
}

function blocksOf({ path, content = "", type = "0", target = "", size }: Packed): Buffer[] {
  const body = Buffer.from(content);
  const header = Buffer.alloc(512);
  header.write(path, 0, 100);
  header.write("0000644\0", 100);
  header.write(`${(size ?? body.length).toString(8).padStart(11, "0")}\0`, 124);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(target, 157, 100);
  header.write("ustar\x0000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
}
