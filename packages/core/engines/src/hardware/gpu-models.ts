interface GpuModel {
  readonly name: string;
  /** Ids of the PCI device, in lower case. */
  readonly ids: readonly string[];
  readonly vramGiB: number;
}

/** What the ids on nodes mean. A table of data: a new card is a new row. */
const models: readonly GpuModel[] = [
  { name: "MI355X", ids: ["75a3", "75b3"], vramGiB: 288 },
  { name: "MI350X", ids: ["75a0", "75b0"], vramGiB: 288 },
  { name: "MI325X", ids: ["74a5", "74b9"], vramGiB: 256 },
  { name: "MI308X", ids: ["74a2", "74a8", "74b6"], vramGiB: 128 },
  { name: "MI300X", ids: ["74a1", "74a9", "74b5", "74bd"], vramGiB: 192 },
  { name: "MI300A", ids: ["74a0"], vramGiB: 128 },
  { name: "MI250X", ids: ["7408", "740c"], vramGiB: 128 },
  { name: "MI210", ids: ["740f", "7410"], vramGiB: 64 },
  { name: "MI100", ids: ["738c", "738e"], vramGiB: 32 },
  { name: "V710", ids: ["7460", "7461"], vramGiB: 32 },
  { name: "V620", ids: ["73a1", "73ae"], vramGiB: 32 },
  { name: "W7900", ids: ["7448", "744a"], vramGiB: 48 },
  { name: "W7800", ids: ["7449", "745e"], vramGiB: 32 },
  { name: "W6900X", ids: ["73a2"], vramGiB: 32 },
  { name: "W6800", ids: ["73a3"], vramGiB: 32 },
  { name: "W6800X", ids: ["73ab"], vramGiB: 32 },
  { name: "RX9070", ids: ["7550"], vramGiB: 16 },
  { name: "RX7900", ids: ["744c"], vramGiB: 24 },
  { name: "RX6900", ids: ["73af"], vramGiB: 16 },
  { name: "RX6800", ids: ["73bf"], vramGiB: 16 },
];

const byId = new Map(models.flatMap((model) => model.ids.map((id) => [id, model.name] as const)));
const byName = new Map(models.map((model) => [model.name, model] as const));

/** An id that nobody has written down still names a card. */
export function modelOfDevice(id: string): string {
  const bare = id.trim().toLowerCase().replace(/^0x/, "");
  return byId.get(bare) ?? `AMD-${bare.toUpperCase()}`;
}

export const devicesOf = (model: string): readonly string[] => byName.get(model)?.ids ?? [];

const gibibyte = 1024 ** 3;
export const vramOf = (model: string): number | undefined => {
  const size = byName.get(model)?.vramGiB;
  return size === undefined ? undefined : size * gibibyte;
};

const brands = new Set(["AMD", "INSTINCT", "RADEON", "NVIDIA"]);

/** The part of a product name that tells models apart: `AMD_Instinct_MI300X_OAM` is `MI300X`. */
export function normalizeModel(name: string): string {
  const upper = name.trim().toUpperCase();
  // A card that has only an id keeps it.
  if (/^AMD-[0-9A-F]{4}$/.test(upper)) return upper;
  const words = upper
    .replaceAll("_", "-")
    .split(/[- /:]+/)
    .filter((word) => word !== "");
  const looksLikeModel = (word: string) => !brands.has(word) && /^[A-Z]+\d/.test(word);
  return words.find(looksLikeModel) ?? words.find((word) => !brands.has(word)) ?? words[0] ?? "";
}
