/** Something that was wrong and what was done about it. */
export interface Finding {
  readonly path: string;
  readonly problem:
    | "blob-corrupt"
    | "blob-missing"
    | "view-broken"
    | "unfinished-write"
    | "pending-stale"
    | "unchecked";
  readonly repair: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const control = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** One line, whatever is in it: pods choose names of files and models in their volumes, and could write lines of their own. */
export const oneLine = (text: string): string =>
  text.replace(control, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);

export const formatFinding = ({ path, problem, repair }: Finding): string => oneLine(`${path}: ${problem}; ${repair}`);
