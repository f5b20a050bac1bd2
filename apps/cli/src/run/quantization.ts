import { Refusal } from "@trivium/std";

/** A model of a repository: one file, or the parts of one. */
export interface Variant {
  readonly quantization: string;
  readonly files: readonly string[];
  readonly bytes: number;
}

interface ListedFile {
  readonly path: string;
  readonly size?: number | undefined;
}

const partForm = /-\d{5}-of-\d{5}(?=\.gguf$)/i;
const quantizationForm = /(?:^|[-._/])((?:UD-)?(?:I?Q\d[A-Z0-9_]*|BF16|F16|F32|MXFP4[A-Z0-9_]*))(?=[-._/])/i;

/** The models that a repository has as GGUF, smallest first. Projectors are not models. */
export function listVariants(files: readonly ListedFile[]): Variant[] {
  const models = files.filter(({ path }) => /\.gguf$/i.test(path) && !/mmproj/i.test(path));
  const groups = Map.groupBy(models, ({ path }) => path.replace(partForm, ""));
  return [...groups]
    .map(([path, parts]) => ({
      quantization: quantizationForm.exec(path)?.[1]?.toUpperCase() ?? path.replace(/\.gguf$/i, ""),
      files: parts.map((part) => part.path).sort(),
      bytes: parts.reduce((sum, { size = 0 }) => sum + size, 0),
    }))
    .sort((a, b) => a.bytes - b.bytes);
}

/** What most people take: small, with little loss. */
const preferred = ["Q4_K_M", "Q4_K_S", "Q4_0", "IQ4_XS", "Q5_K_M", "Q6_K", "Q8_0", "F16", "BF16"];

/** The variant that was named, or the preferred one; a name that there is not gets the names that there are. */
export function chooseVariant(repository: string, variants: readonly Variant[], wanted: string | undefined): Variant {
  const [smallest] = variants;
  if (smallest === undefined) throw new Refusal(`${repository} has no GGUF file`);
  const named = (name: string) => variants.find(({ quantization }) => quantization === name.toUpperCase());
  if (wanted === undefined) return preferred.map(named).find((one) => one !== undefined) ?? smallest;
  const found = named(wanted);
  if (found !== undefined) return found;
  const known = variants.map(({ quantization }) => quantization).join(", ");
  throw new Refusal(`${repository} has no ${wanted}; choose one of ${known}`);
}

/** The variant that a file belongs to: of a model in parts any part names all. */
export function variantOf(repository: string, variants: readonly Variant[], file: string): Variant {
  const found = variants.find(({ files }) => files.includes(file));
  if (found !== undefined) return found;
  const known = variants.flatMap(({ files: [first = ""] }) => first).join(", ");
  throw new Refusal(`${repository} has no ${file}; ${known === "" ? "it has no GGUF file" : `choose one of ${known}`}`);
}
