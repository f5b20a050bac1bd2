/**
 * The protobuf messages of the Kubernetes API by their full name. A field is its number, its JSON name ("" when its
 * fields belong to the message around it) and its type: `s` string, `b` boolean, `i` integer, `d` double, `y` bytes or the
 * name of a message, behind `[]` for lists, `{}` for maps from string, `*` for a scalar whose zero is not "absent".
 */
export type Field = [number: number, name: string, type: string];
export type Messages = Record<string, Field[]>;
