import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const themes: readonly Theme[] = ["system", "light", "dark"];
const key = "trivium-theme";

/** Only this is kept in the browser. */
export const theme = signal<Theme>(themes.find((one) => one === localStorage.getItem(key)) ?? "system");

export function showTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.value === "system") delete dataset.theme;
  else dataset.theme = theme.value;
}

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
  localStorage.setItem(key, theme.value);
  showTheme();
}
