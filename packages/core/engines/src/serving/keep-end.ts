/** At most so many characters, of the end of a name, that begin like a name: what tells names apart is mostly at the end. */
export const keepEnd = (name: string, length: number): string => name.slice(-length).replace(/^[^a-z0-9]+/i, "");
