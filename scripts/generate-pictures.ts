/**
 * Draws docs/pictures/*.svg from the text files beside them: diagrams from *.diagram.txt, what programs print from
 * *.transcript.txt.
 *
 *   node scripts/generate-pictures.ts [--check]
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type GeneratedFiles, runGenerator } from "./generated-files.ts";
import { drawDiagram } from "./pictures/diagram.ts";
import { drawTranscript } from "./pictures/transcript.ts";

const drawings = [
  ["diagram", drawDiagram],
  ["transcript", drawTranscript],
] as const;

export function pictureFiles(root: string): GeneratedFiles {
  const files = drawings.flatMap(([form, draw]) =>
    globSync(`docs/pictures/*.${form}.txt`, { cwd: root })
      .sort()
      .map((path): [string, string] => [
        path.replace(`.${form}.txt`, ".svg"),
        draw(readFileSync(join(root, path), "utf8")),
      ]),
  );
  return new Map(files);
}

if (import.meta.main) {
  const root = process.cwd();
  const output = { root, owns: ["docs/pictures/*.svg"], files: pictureFiles(root) };
  process.exitCode = runGenerator(output, process.argv.slice(2));
}
