/** Light, dark, or as the system has it. */
export type Theme = "system" | "light" | "dark";

const key = "charter-theme";

export function chosenTheme(): Theme {
  const chosen = localStorage.getItem(key);
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

export function applyTheme(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === "system" ? "light dark" : theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  applyTheme(theme);
}
