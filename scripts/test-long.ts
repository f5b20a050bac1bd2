// Runs the long tests, which a plain `npm test` leaves out. With arguments, only the files whose path contains one of them. `--times`
// prints what each process took.
import { isLong } from "./long-tests.ts";
import { findTestFiles, parseTestOptions, runTests } from "./run-tests.ts";

const options = parseTestOptions(process.argv.slice(2));
const { words: wanted } = options;
const files = findTestFiles()
  .filter(isLong)
  .filter((path) => wanted.length === 0 || wanted.some((word) => path.includes(word)));
process.exitCode = await runTests(files, options);
