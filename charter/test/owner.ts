import pg from "pg";

/** Asks a PostgreSQL as its owner would, on a connection of its own and outside any transaction; gives the rows. */
export async function asOwner<Row extends object>(url: string, words: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(words)).rows;
  } finally {
    await client.end();
  }
}
