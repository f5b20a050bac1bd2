/** A LoRA adapter as the annotation of a service requests it. */
export interface RequestedAdapter {
  readonly name: string;
  readonly source?: string | undefined;
}

export const expectedAdapters = "a list such as name=hf://org/repo,other";

/** Names become folders, so none starts with a dot. */
const adapterName = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** `name` or `name=source`, separated by commas; each name once. */
export function parseAdapterList(text: string): RequestedAdapter[] | undefined {
  const adapters = text.split(",").map((part) => parseAdapter(part.trim()));
  const good = adapters.filter((one) => one !== undefined);
  const names = new Set(good.map(({ name }) => name));
  return names.size === adapters.length ? good : undefined;
}

function parseAdapter(text: string): RequestedAdapter | undefined {
  const at = text.indexOf("=");
  const [name, source] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  if (!adapterName.test(name) || source === "") return undefined;
  return source === undefined ? { name } : { name, source };
}
