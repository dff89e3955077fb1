/** A page with a table written anew: it begins after the comment that says from where, and ends with an empty line. */
export function withTable(page: string, from: string, rows: readonly string[]): string {
  const begins = `<!-- Written by \`npm run reference\` from ${from}. -->\n`;
  const start = page.indexOf(begins);
  const end = page.indexOf("\n\n", start);
  if (start < 0 || end < 0) throw new Error(`The page has no line “${begins.trim()}” before a table.`);
  return page.slice(0, start) + begins + rows.join("\n") + page.slice(end);
}
