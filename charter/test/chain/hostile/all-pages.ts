/** All rows, page by page. */
export async function allOf<Row>(list: (page: { limit: number; offset: number }) => Promise<Row[]>): Promise<Row[]> {
  const all: Row[] = [];
  for (const limit = 500; ; ) {
    const page = await list({ limit, offset: all.length });
    all.push(...page);
    if (page.length < limit) return all;
  }
}
