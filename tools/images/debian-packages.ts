/** An architecture, as images call it. */
export type Architecture = "amd64" | "arm64";

export const architectures: readonly Architecture[] = ["amd64", "arm64"];

/** A Debian package, pinned by its digest. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** Below the root of a Debian mirror. */
  readonly path: string;
  readonly sha256: string;
}

const glibc = "2.36-9+deb12u14";
const gcc = "12.2.0-14+deb12u1";

const certificates: DebianPackage = {
  name: "ca-certificates",
  version: "20230311+deb12u1",
  path: "debian/pool/main/c/ca-certificates/ca-certificates_20230311+deb12u1_all.deb",
  sha256: "0d5f444f594e48c1e16a41d8fc628a09b24c658916a1274025c2330f2a802bed",
};

const ofGlibc = (architecture: Architecture, sha256: string): DebianPackage => ({
  name: "libc6",
  version: glibc,
  path: `debian/pool/main/g/glibc/libc6_${glibc}_${architecture}.deb`,
  sha256,
});

const ofGcc = (name: string, architecture: Architecture, sha256: string): DebianPackage => ({
  name,
  version: gcc,
  path: `debian/pool/main/g/gcc-12/${name}_${gcc}_${architecture}.deb`,
  sha256,
});

/** What Node needs of a system: the C and C++ libraries and certificates. `gcc-12-base` has the licence of the latter two libraries. */
export const basePackages: Readonly<Record<Architecture, readonly DebianPackage[]>> = {
  amd64: [
    certificates,
    ofGlibc("amd64", "ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf"),
    ofGcc("gcc-12-base", "amd64", "1896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619"),
    ofGcc("libgcc-s1", "amd64", "3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7"),
    ofGcc("libstdc++6", "amd64", "5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d"),
  ],
  arm64: [
    certificates,
    ofGlibc("arm64", "01f4330719fd4f65580e16ea5a0527f372fca750e8f588d26deaf09f2d3b1cf4"),
    ofGcc("gcc-12-base", "arm64", "674cf6cba6d432bd200c45fe866c1652c7a53523cc2e7a613e05bc4abf7b5440"),
    ofGcc("libgcc-s1", "arm64", "576926b283613db80168ddf76380a3bd877602778cf0d226caa7bfbfa71eacf3"),
    ofGcc("libstdc++6", "arm64", "26e138c677a985775331373828a6c286c551ff397cb735d00e2383cb273d1cb2"),
  ],
};

/** llama.cpp computes with several threads by this library. */
export const enginePackages: Readonly<Record<Architecture, readonly DebianPackage[]>> = {
  amd64: [ofGcc("libgomp1", "amd64", "48fec46bda7f5b1638b9e959889bfbc20491247d402d120bb152687eb48143d7")],
  arm64: [ofGcc("libgomp1", "arm64", "a48b70dd1a95585466b40bd94564bce56ebcb2566e49ccdb6441e996aaab2098")],
};
