/** A row of eight fields. */
export const rowTypeDefs = `
  type Row {
    id: ID!
    name: String
    price: Float
    count: Int
    active: Boolean
    sku: String
    tag: String
    rank: Int
  }
`;

/** So many of them. */
export function createRows(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, id) => ({
    id: `r${id}`,
    name: `Row ${id}`,
    price: id * 1.5,
    count: id,
    active: id % 2 === 0,
    sku: `SKU-${id}`,
    tag: id % 3 === 0 ? null : 'tag',
    rank: id % 100,
  }));
}
