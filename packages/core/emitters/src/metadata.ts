type Texts = Readonly<Record<string, string>>;

interface Named {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly labels: Texts;
  readonly annotations?: Texts | undefined;
}

/** The metadata of a plan, with a copy of its labels and annotations. */
export const metadataOf = ({ name, namespace, labels, annotations }: Named) => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  labels: { ...labels },
  ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
});
