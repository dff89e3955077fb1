/** How every benchmark opens: words it does not know are told with its help and end with 2, and help that was asked for ends it. */
export function opened<Options extends { readonly help: boolean }>(
  options: Options | string,
  help: string,
): Options | { readonly exit: number } {
  if (typeof options === "string") {
    process.stderr.write(`${options}\n\n${help}`);
    return { exit: 2 };
  }
  if (!options.help) return options;
  process.stdout.write(help);
  return { exit: 0 };
}
