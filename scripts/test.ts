// Runs every test but the long ones. With arguments, only the files whose path contains one of them, long or not. `--times` prints what each process took.
import { isLong } from "./long-tests.ts";
import { findTestFiles, parseTestOptions, runTests } from "./run-tests.ts";

const options = parseTestOptions(process.argv.slice(2));
const { words: wanted } = options;
const found = findTestFiles();
const files =
  wanted.length === 0
    ? found.filter((path) => !isLong(path))
    : found.filter((path) => wanted.some((word) => path.includes(word)));

if (wanted.length === 0) {
  // All stories are played where they are asked for, and by the cluster suite.
  process.env.TRIVIUM_STORIES = "quick";
  console.log(`${found.length - files.length} long files are left to npm run test:long`);
}

process.exitCode = await runTests(files, options);
