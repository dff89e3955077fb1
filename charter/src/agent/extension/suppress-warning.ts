/** Does something that Node calls experimental without a line about it on stderr. Every other warning still comes. */
export function suppressWarning<Result>(work: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!/is an experimental feature/.test(String(warning))) emitWarning.call(process, warning, ...rest);
  }) as typeof process.emitWarning;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
