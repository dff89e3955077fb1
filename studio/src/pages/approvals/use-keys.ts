import { useEffect } from "react";
import { useLocation } from "wouter";
import { housePlaceOf } from "../../app/place.ts";
import { keyAct } from "./keys.ts";

const cards = () => [...document.querySelectorAll<HTMLElement>("[data-held]")];

function focusOn(target: EventTarget | null): "card" | "page" | "control" | "text" {
  if (!(target instanceof HTMLElement) || target === document.body || target.id === "page") return "page";
  if (target.closest("input, textarea, select, [contenteditable], dialog")) return "text";
  return target.dataset.held === undefined ? "control" : "card";
}

/**
 * Moves between the cards and presses their buttons. What cannot be taken back is not pressed by one key: its button gets
 * the focus, and Enter presses it.
 */
export function useKeys(): void {
  const [, go] = useLocation();
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const act = keyAct(event, focusOn(event.target));
      if (act === undefined) return;
      const all = cards();
      const at = all.findIndex((card) => card.contains(document.activeElement));
      const here = all[at] ?? (all.length === 1 ? all[0] : undefined);
      if (act === "next" || act === "previous") {
        const to = all[act === "next" ? at + 1 : Math.max(0, at - 1)];
        if (!to) return;
        event.preventDefault();
        return to.focus();
      }
      if (!here) return;
      event.preventDefault();
      if (act === "open") return go(housePlaceOf("approvals", here.dataset.held));
      const button = here.querySelector<HTMLButtonElement>(`button[data-act="${act}"]`);
      if (button?.dataset.asks === undefined) button?.click();
      else button.focus();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [go]);
}

/** The card that comes after one, else the one before it, gets the focus. False: there is no other. */
export function focusNextTo(id: string): boolean {
  const all = cards();
  const at = all.findIndex((card) => card.dataset.held === id);
  const next = all[at + 1] ?? all[at - 1];
  next?.focus();
  return next !== undefined;
}
