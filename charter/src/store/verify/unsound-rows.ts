/** Rows that are not what their digest says: edited, or each in the place of another. */
type UnsoundRows<Row> = { readonly add: (row: Row) => void; readonly report: () => void };

type Rules<Row> = {
  readonly sound: (row: Row) => boolean;
  /** The row's place: the fields of its key. */
  readonly place: (row: Row) => Partial<Row>;
  readonly edited: (row: Row) => void;
  readonly reordered: (row: Row, other: Row) => void;
};

/** So many are compared with each other; whatever comes after is called edited, which it is. */
const max = 100;

export function createUnsoundRows<Row>({ sound, place, edited, reordered }: Rules<Row>): UnsoundRows<Row> {
  const rows: Row[] = [];
  return {
    add: (row) => {
      if (rows.length < max) rows.push(row);
      else edited(row);
    },
    report: () => {
      for (const row of rows) {
        const other = rows.find((one) => one !== row && sound({ ...row, ...place(one) }));
        if (other) reordered(row, other);
        else edited(row);
      }
    },
  };
}
