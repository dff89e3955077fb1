type ChildEnd = { readonly code: number | null; readonly signal?: NodeJS.Signals | null; readonly error?: Error };
/** Runs this program once more, as a child that stands for this process. */
export declare function runChild(
  program: string,
  args: readonly string[],
  options?: { readonly outputApart?: boolean },
): Promise<ChildEnd>;
