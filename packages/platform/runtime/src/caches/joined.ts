/**
 * Texts with a space between them, in one piece of memory. What a template builds is kept as a tree of its parts, which takes several times
 * the space of the text where thousands of them are kept.
 */
export const joined = (...parts: readonly string[]): string => parts.join(" ");
