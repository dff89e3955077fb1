import { type ComponentType, lazy } from "react";

const triedAgain = "charter-tried-again";

/**
 * A component that comes when it is first looked at. Where it cannot be had the server is away, or has another version
 * by now: the page waits for the server and begins anew, once. What was typed is kept where that does not reach it.
 */
export function onDemand<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>) {
  return lazy(async () => {
    try {
      const loaded = await load();
      sessionStorage.removeItem(triedAgain);
      return loaded;
    } catch (failure) {
      await serverBack();
      if (sessionStorage.getItem(triedAgain) === location.href) throw failure;
      sessionStorage.setItem(triedAgain, location.href);
      location.reload();
      return new Promise<never>(() => {});
    }
  });
}

async function serverBack(): Promise<void> {
  while (
    !(await fetch("/icon.svg", { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await new Promise((resolve) => setTimeout(resolve, 1000));
}
