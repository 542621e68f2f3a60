import { assertCost } from './bucket.ts';
import type { BudgetStore } from './budget-store.ts';
import type { Claim, ClaimResult, IdempotencyStore } from './idempotency-store.ts';

/** Runs a statement and resolves to its rows. */
type Run = (text: string, values: readonly (string | number | null)[]) => Promise<readonly object[]>;

/** The differences between Postgres and SQLite. */
interface Dialect {
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly now: string;
  /** Microseconds since the epoch, the same for all expressions of a statement. */
  readonly statementStart: string;
  /** The larger of two numbers. */
  readonly greatest: string;
  readonly run: Run;
  /** Undefined: the default of each use. */
  readonly table: string | undefined;
}

/** A row; times are numbers or, from Postgres, texts. */
interface Row {
  readonly fingerprint: string;
  readonly left: number | string;
  readonly finished: number | string;
  readonly answer: string | null;
}

/** A result of `query`, as of pg and PGlite. */
export interface PostgresClient {
  query(text: string, values: any[]): Promise<{ readonly rows: readonly object[] }>;
}

/** Options of the stores with tables. */
export interface TableOptions {
  /** The name of the table. Default: 'idempotency', or 'budget' for points */
  readonly table?: string | undefined;
}

/**
 * Keeps records or buckets in a table of Postgres, one statement for each operation, by the clock of the database. `client` has the method
 * `query` of pg's pools and of PGlite. Create the table with {@link idempotencyTable} or {@link budgetTable}. Its rows stay: delete expired
 * ones on a schedule.
 *
 * Do not pass a client that is in a transaction: others would not see its claim.
 *
 * @example
 * postgresStore(new Pool())
 */
export function postgresStore(client: PostgresClient, { table }: TableOptions = {}): IdempotencyStore & BudgetStore {
  assertClient('postgresStore', client, 'query');
  const now = `CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)`;
  const statementStart = `CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS bigint)`;
  const run: Run = async (text, values) => (await client.query(text, [...values])).rows;
  return sqlStore({ now, statementStart, greatest: 'GREATEST', table, run });
}

/** A database of Cloudflare D1, as in `env`. */
export interface D1Client {
  prepare(text: string): { bind(...values: any[]): { all(): Promise<{ readonly results: readonly object[] }> } };
}

/**
 * Keeps records or buckets in a table of Cloudflare D1, one statement for each operation, by the clock of the database. Create the table
 * with {@link idempotencyTable} or {@link budgetTable}. Its rows stay: delete expired ones on a schedule.
 *
 * @example
 * d1Store(env.DB)
 */
export function d1Store(database: D1Client, { table }: TableOptions = {}): IdempotencyStore & BudgetStore {
  assertClient('d1Store', database, 'prepare');
  const run: Run = async (text, values) => {
    const statement = database.prepare(text.replaceAll('$', '?'));
    return (await statement.bind(...values).all()).results;
  };
  const now = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`;
  return sqlStore({ now, statementStart: `${now} * 1000`, greatest: 'MAX', table, run });
}

/** The statements that create the table, for `postgresStore` and `d1Store`. Times are milliseconds since the epoch. */
export function idempotencyTable({ table = 'idempotency' }: TableOptions = {}): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (id text PRIMARY KEY, token text NOT NULL, fingerprint text NOT NULL, lease_ends bigint NOT NULL, expires bigint NOT NULL, finished integer NOT NULL, answer text)`,
    `CREATE INDEX IF NOT EXISTS ${table.replaceAll('.', '_')}_expires ON ${table} (expires)`,
  ];
}

/** The statements that create the table for `budget()`, for `postgresStore` and `d1Store`. Times are microseconds since the epoch. */
export function budgetTable({ table = 'budget' }: TableOptions = {}): readonly string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (id text PRIMARY KEY, full_at bigint NOT NULL, taken integer NOT NULL)`,
    `CREATE INDEX IF NOT EXISTS ${table.replaceAll('.', '_')}_full_at ON ${table} (full_at)`,
  ];
}

function sqlStore(dialect: Dialect): IdempotencyStore & BudgetStore {
  return { ...recordsIn(dialect), ...bucketsIn(dialect) };
}

function recordsIn({ now, run, table = 'idempotency' }: Dialect): IdempotencyStore {
  /** An expired row counts as missing, and so does an abandoned one that may be taken over. */
  const insert = `INSERT INTO ${table} AS known (id, token, fingerprint, lease_ends, expires, finished)
    VALUES ($1, $2, $3, ${now} + CAST($4 AS bigint), ${now} + CAST($5 AS bigint), 0)
    ON CONFLICT (id) DO UPDATE SET token = excluded.token, fingerprint = excluded.fingerprint,
      lease_ends = excluded.lease_ends, expires = excluded.expires, finished = 0, answer = NULL
    WHERE known.expires <= ${now} OR known.finished = 0 AND (known.token = excluded.token
      OR CAST($6 AS integer) = 1 AND known.lease_ends <= ${now} AND known.fingerprint = excluded.fingerprint)
    RETURNING id`;
  const select = `SELECT fingerprint, lease_ends - ${now} AS "left", finished, answer FROM ${table} WHERE id = $1 AND expires > ${now}`;
  const finish = `UPDATE ${table} SET answer = CASE finished WHEN 0 THEN $3 ELSE answer END,
      expires = CASE finished WHEN 0 THEN ${now} + CAST($4 AS bigint) ELSE expires END, finished = 1
    WHERE id = $1 AND token = $2 AND expires > ${now} RETURNING id`;
  const release = `DELETE FROM ${table} WHERE id = $1 AND token = $2 AND finished = 0 AND expires > ${now} RETURNING id`;

  const claim = async (id: string, given: Claim, tries = 3): Promise<ClaimResult> => {
    const { token, fingerprint, lease, keep, again } = given;
    const claimed = await run(insert, [id, token, fingerprint, Math.ceil(lease), Math.ceil(keep), again ? 1 : 0]);
    if (claimed.length > 0) return { state: 'claimed' };
    const [row] = (await run(select, [id])) as readonly Row[];
    if (row !== undefined) return toResult(row);
    // The row was released, or expired, between the two statements.
    if (tries === 0) throw new Error('The record of an idempotency key keeps appearing and disappearing.');
    return claim(id, given, tries - 1);
  };
  return {
    claim: (id, given) => claim(id, given),
    finish: async (id, { token, answer, keep }) => (await run(finish, [id, token, answer ?? null, Math.ceil(keep)])).length > 0,
    release: async (id, { token }) => (await run(release, [id, token])).length > 0,
  };
}

/**
 * One statement. It reads the clock once, for `excluded.full_at`: with several readings, a take could be granted by one and not written by
 * another. A statement that has waited for another one takes its points as of its start.
 */
function bucketsIn({ statementStart, greatest, run, table = 'budget' }: Dialect): BudgetStore {
  const [cost, capacity] = ['CAST($2 AS bigint)', 'CAST($3 AS bigint)'];
  const fits = `known.full_at + ${cost} <= excluded.full_at - ${cost} + ${capacity}`;
  const take = `INSERT INTO ${table} AS known (id, full_at, taken) VALUES ($1, ${statementStart} + ${cost}, 1)
    ON CONFLICT (id) DO UPDATE SET taken = CASE WHEN ${fits} THEN 1 ELSE 0 END,
      full_at = CASE WHEN ${fits} THEN ${greatest}(known.full_at + ${cost}, excluded.full_at) ELSE known.full_at END
    RETURNING taken, full_at - ${statementStart} AS "left"`;
  return {
    take: async (id, given) => {
      assertCost(given);
      const [row] = (await run(take, [id, given.cost, given.capacity])) as readonly {
        readonly taken: number;
        readonly left: number | string;
      }[];
      return { isTaken: Number(row!.taken) === 1, untilFull: Number(row!.left) };
    },
  };
}

function toResult({ fingerprint, left, finished, answer }: Row): ClaimResult {
  if (Number(finished) === 1) return { state: 'finished', fingerprint, answer: answer ?? undefined };
  return Number(left) > 0 ? { state: 'running', fingerprint, left: Number(left) } : { state: 'abandoned', fingerprint };
}

function assertClient(store: string, client: unknown, method: string): void {
  if (typeof (client as Record<string, unknown> | undefined)?.[method] !== 'function')
    throw new TypeError(`Expected ${store} to get a client with the method ${method}.`);
}
