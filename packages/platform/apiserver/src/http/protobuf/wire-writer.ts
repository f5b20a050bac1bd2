/** Writes the protobuf wire format: each function returns one field, its tag and all. */
export function bytesField(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

export function stringField(number: number, text: string): Buffer {
  return bytesField(number, Buffer.from(text, "utf8"));
}

export function integerField(number: number, value: number | boolean): Buffer {
  return Buffer.concat([varint(number * 8), varint(Number(value))]);
}

export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
}

/** A message made of fields, as one field of another. */
export function messageField(number: number, fields: readonly Uint8Array[]): Buffer {
  return bytesField(number, Buffer.concat(fields));
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
