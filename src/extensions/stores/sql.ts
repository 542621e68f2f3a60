import type { BudgetStore } from './budget-store.ts';
import { conditionalStore } from './conditional-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';

/** A database with SQL. */
interface Database {
  /** Runs a statement and resolves to its rows. */
  readonly run: (text: string, values: readonly (string | number)[]) => Promise<readonly object[]>;
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly now: string;
}

/** A result of `query`, as of pg and PGlite. */
export interface PostgresClient {
  query(text: string, values: any[]): Promise<{ readonly rows: readonly object[] }>;
}

/** Options of the stores with a table. */
export interface TableOptions {
  /** The name of the table. Default: 'graphql_store' */
  readonly table?: string | undefined;
}

/**
 * Keeps records and buckets in a table of Postgres, by the clock of the database. `client` has the method `query` of pg's pools and of
 * PGlite. Create the table with {@link storeTable}. Its rows stay: delete expired ones on a schedule.
 *
 * Do not pass a client that is in a transaction: others would not see its claim.
 *
 * @example
 * postgresStore(new Pool())
 */
export function postgresStore(client: PostgresClient, options?: TableOptions): IdempotencyStore & BudgetStore {
  assertClient('postgresStore', client, 'query');
  const run: Database['run'] = async (text, values) => (await client.query(text, [...values])).rows;
  return sqlStore({ run, now: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)' }, options);
}

/** A database of Cloudflare D1, as in `env`. */
export interface D1Client {
  prepare(text: string): { bind(...values: any[]): { all(): Promise<{ readonly results: readonly object[] }> } };
}

/**
 * Keeps records and buckets in a table of Cloudflare D1, by the clock of the database. Create the table with {@link storeTable}. Its rows
 * stay: delete expired ones on a schedule.
 *
 * @example
 * d1Store(env.DB)
 */
export function d1Store(database: D1Client, options?: TableOptions): IdempotencyStore & BudgetStore {
  assertClient('d1Store', database, 'prepare');
  const run: Database['run'] = async (text, values) => {
    const statement = database.prepare(text.replaceAll('$', '?'));
    return (await statement.bind(...values).all()).results;
  };
  return sqlStore({ run, now: `CAST(unixepoch('subsec') * 1000 AS INTEGER)` }, options);
}

/** The statements that create the table, for `postgresStore` and `d1Store`. `expires` is in milliseconds since the epoch. */
export function storeTable({ table = defaultTable }: TableOptions = {}): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (id text PRIMARY KEY, value text NOT NULL, expires bigint NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS ${table.replaceAll('.', '_')}_expires ON ${table} (expires)`,
  ];
}

const defaultTable = 'graphql_store';

/** The value is its own version: equal texts are equal states. */
function sqlStore({ run, now }: Database, { table = defaultTable }: TableOptions = {}): IdempotencyStore & BudgetStore {
  const insert = `INSERT INTO ${table} (id, value, expires) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING RETURNING id`;
  const update = `UPDATE ${table} SET value = $2, expires = $3 WHERE id = $1 AND value = $4 RETURNING id`;
  return conditionalStore({
    read: async (id) => {
      const [row] = await run(`SELECT ${now} AS now, (SELECT value FROM ${table} WHERE id = $1) AS value`, [id]);
      const { value, now: time } = row as { readonly value: string | null; readonly now: number | string };
      return { value: value ?? undefined, version: value ?? undefined, now: Number(time) };
    },
    write: async (id, { value, version, expires }) => {
      const rows = await (version === undefined ? run(insert, [id, value, expires]) : run(update, [id, value, expires, version]));
      return rows.length > 0;
    },
  });
}

function assertClient(store: string, client: unknown, method: string): void {
  if (typeof (client as Record<string, unknown> | undefined)?.[method] !== 'function')
    throw new TypeError(`Expected ${store} to get a client with the method ${method}.`);
}
