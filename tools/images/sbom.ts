import type { DebianPackage } from "./debian-packages.ts";
import { lockedPackage } from "./sources.ts";

/** A piece of software inside an image. */
export interface Component {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Package URL, by which scanners look up vulnerabilities. */
  readonly purl: string;
}

export const componentOfDebian = ({ name, version }: DebianPackage): Component => ({
  name,
  version,
  license: "NOASSERTION",
  purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?distro=debian-12`,
});

export function componentOfNpm(name: string): Component {
  const { version, license } = lockedPackage(name);
  return { name, version, license, purl: `pkg:npm/${name.replace("@", "%40")}@${version}` };
}

export interface SbomInput {
  readonly image: string;
  readonly version: string;
  readonly digest: string;
  readonly seconds: number;
  readonly components: readonly Component[];
}

/** The bill of materials of an image, as SPDX 2.3 in JSON. */
export function formatSbom({ image, version, digest, seconds, components }: SbomInput): string {
  const idOf = (at: number): string => `SPDXRef-Package-${at + 1}`;
  const root = "SPDXRef-Image";
  const sorted = [...components].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const document = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `${image}-${version}`,
    documentNamespace: `https://trivium.dev/spdx/${image}-${version}-${digest}`,
    creationInfo: {
      created: new Date(seconds * 1000).toISOString().replace(".000", ""),
      creators: ["Tool: trivium-images"],
    },
    packages: [
      packageOf(root, { name: image, version, license: "Apache-2.0", purl: `pkg:oci/${image}@${version}` }),
      ...sorted.map((component, at) => packageOf(idOf(at), component)),
    ],
    relationships: [
      { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: root },
      ...sorted.map((_, at) => ({ spdxElementId: root, relationshipType: "CONTAINS", relatedSpdxElement: idOf(at) })),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

const packageOf = (id: string, { name, version, license, purl }: Component) => ({
  SPDXID: id,
  name,
  versionInfo: version,
  downloadLocation: "NOASSERTION",
  filesAnalyzed: false,
  licenseConcluded: "NOASSERTION",
  licenseDeclared: license,
  copyrightText: "NOASSERTION",
  externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
});
