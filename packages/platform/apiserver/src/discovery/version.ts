/** The Kubernetes release whose API is served; clients compare it with their own to decide what they may ask for. */
export const kubernetesVersion = { major: "1", minor: "36", patch: "4" } as const;

export const gitVersion: string = `v${kubernetesVersion.major}.${kubernetesVersion.minor}.${kubernetesVersion.patch}+trivium`;

/** The answer to `/version`, with every field that a real server sends. */
export function versionDocument(): string {
  const { major, minor } = kubernetesVersion;
  return JSON.stringify({
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: "",
    gitTreeState: "",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: `node ${process.version}`,
    compiler: "v8",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  });
}
