/** All rows of a list that is read in pages. */
export async function pages<Row>(list: (page: { limit: number; offset: number }) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const limit = 500; ; ) {
    const page = await list({ limit, offset: rows.length });
    rows.push(...page);
    if (page.length < limit) return rows;
  }
}
