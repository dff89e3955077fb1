import { afterAll, beforeAll, describe } from "vitest";
import { noBrowser } from "../../../charter/test/browser.ts";
import { openWindow, type Window, type WindowOptions } from "./browser.ts";
import { openStage, type Stage, type StageOptions } from "./stage.ts";

/** Tests that need a browser: without one they are skipped. */
export const inBrowser = describe.skipIf(noBrowser);

export type Setting = StageOptions &
  WindowOptions & {
    /** What has to be there before the window opens. */
    readonly prepare?: (stage: Stage) => Promise<unknown>;
  };

export type OnStage = { readonly stage: Stage; readonly window: Window };

/** A server and a window of the studio for all tests of a `describe`: opened before the first, closed after the last. */
export function onStage({ prepare, ...setting }: Setting = {}): OnStage {
  let opened: Stage | undefined;
  let shown: Window | undefined;
  beforeAll(async () => {
    opened = await openStage(setting);
    await prepare?.(opened);
    shown = await openWindow(await opened.link(), setting);
  });
  afterAll(async () => {
    await shown?.close();
    await opened?.close();
  });
  const on = { stage: () => opened as Stage, window: () => shown as Window };
  return {
    stage: {
      get url() {
        return on.stage().url;
      },
      get store() {
        return on.stage().store;
      },
      get house() {
        return on.stage().house;
      },
      get folder() {
        return on.stage().folder;
      },
      link: () => on.stage().link(),
      restart: (meanwhile) => on.stage().restart(meanwhile),
      close: () => on.stage().close(),
    },
    window: {
      get page() {
        return on.window().page;
      },
      get wrong() {
        return on.window().wrong;
      },
      close: () => on.window().close(),
    },
  };
}
