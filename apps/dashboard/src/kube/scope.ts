import { signal } from "@preact/signals";

/** The namespace whose objects the pages show; nothing means all of them. */
export const scope = signal<string | undefined>(undefined);

/** Why the pages show one namespace although nobody chose it. */
export const scopeNotice = signal("");

export function showNamespace(namespace: string, notice = ""): void {
  scope.value = namespace.trim() || undefined;
  scopeNotice.value = notice;
}

/** Where pods of the shown namespaces are watched. */
export const podsPath = (): string =>
  scope.value === undefined ? "/api/v1/pods" : `/api/v1/namespaces/${encodeURIComponent(scope.value)}/pods`;
