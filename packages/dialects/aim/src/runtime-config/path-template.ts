const longest = 2_000;

/** What is wrong with the form of a path template, before any service fills it in. */
export function faultOfPathTemplate(template: string): string | undefined {
  if (template.trim() === "") return "it is empty";
  if (template.length > longest) return `it is longer than ${longest} characters`;
  let open = -1;
  for (const [at, character] of [...template].entries()) {
    if (character === "{") {
      if (open >= 0) return `the brace at character ${at + 1} is inside another pair`;
      open = at;
    } else if (character === "}") {
      if (open < 0) return `the brace at character ${at + 1} closes nothing`;
      if (at === open + 1) return `the braces at character ${open + 1} are empty`;
      open = -1;
    }
  }
  return open < 0 ? undefined : `the brace at character ${open + 1} is not closed`;
}
