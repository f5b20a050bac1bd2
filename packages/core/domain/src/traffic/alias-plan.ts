/** A Service that is another name for a host. */
export interface AliasPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly externalName: string;
}
