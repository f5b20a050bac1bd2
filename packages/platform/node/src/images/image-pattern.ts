import { parseImageReference } from "@trivium/std";
import { formsOf } from "./image-forms.ts";

/** Whether a pattern means an image. `*` stands for any characters, `?` for one; a pattern without a tag means all tags. */
export function matchesImage(pattern: string, image: string): boolean {
  const reference = parseImageReference(image);
  const forms = reference === undefined ? [image] : [image, ...formsOf(reference)];
  return forms.some((form) => matchesGlob(pattern, form));
}

/** Without a regular expression: a pattern comes from a user, and many stars must not take long. */
function matchesGlob(pattern: string, text: string): boolean {
  let [at, star, resume] = [0, -1, 0];
  let position = 0;
  while (position < text.length) {
    const wanted = pattern[at];
    if (wanted === "*") {
      star = at;
      resume = position;
      at += 1;
    } else if (wanted === "?" || wanted === text[position]) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      position = resume;
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
