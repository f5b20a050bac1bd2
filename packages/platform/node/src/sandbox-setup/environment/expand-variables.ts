/**
 * Replaces `$(NAME)` by its value, as Kubernetes does in commands, arguments and values. `$$` stands for one `$`; a name that nobody
 * defined, and a reference without its end, stay as they are written.
 */
export function expandVariables(text: string, lookUp: (name: string) => string | undefined): string {
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (written, name: string | undefined) =>
    name === undefined ? "$" : (lookUp(name) ?? written),
  );
}
