const longest = 2_000;

/** What is wrong with the form of a path template, before any service fills it in. */
export function faultOfPathTemplate(template: string): string | undefined {
  if (template.trim() === "") return "it is empty";
  if (template.length > longest) return `it is longer than ${longest} characters`;
  let open = -1;
  for (const [at, character] of [...template].entries()) {
    if (character === "{") {
      if (open >= 0) return `nested brace at character ${at + 1}`;
      open = at;
    } else if (character === "}") {
      if (open < 0) return `unmatched closing brace at character ${at + 1}`;
      if (at === open + 1) return `empty braces at character ${open + 1}`;
      open = -1;
    }
  }
  return open < 0 ? undefined : `unclosed brace at character ${open + 1}`;
}
