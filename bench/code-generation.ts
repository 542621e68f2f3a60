/**
 * What `codeGeneration: false` costs: whole requests for lists of rows, with and without generated functions, in one process and in turns.
 *
 *     node bench/code-generation.ts
 *
 * Prints the ratio of CPU time without to that with: the median, the lowest and the highest of the rounds. Takes half a minute. With
 * AS_JSON, the last line has the medians.
 */
import { createHandler } from '../src/entries/aws-lambda.ts';
import { createEvent } from './event.ts';
import { median, rounded } from './statistics.ts';

/** The CPU time of a request without generated functions, divided by that with them. */
export interface CodeGenerationResult {
  readonly workload: string;
  readonly ratio: number;
}

const rounds = Number(process.env['ROUNDS'] ?? 15);
const names = Array.from({ length: 8 }, (_, at) => `field${at}`);
const rows = Array.from({ length: 1_000 }, (_, id) =>
  Object.fromEntries(names.map((name, at) => [name, at % 2 === 0 ? id : `text ${id}`])),
);
const typeDefs = `
  type Query { rows(count: Int!): [Row!]!  resolved(count: Int!): [Resolved!]! }
  type Row { ${names.map((name, at) => `${name}: ${at % 2 === 0 ? 'Int!' : 'String!'}`).join('  ')} }
  type Resolved { ${names.map((name, at) => `${name}: ${at % 2 === 0 ? 'Int!' : 'String!'}`).join('  ')} }
`;
const resolvers = {
  Query: {
    rows: (_: unknown, { count }: { count: number }) => rows.slice(0, count),
    resolved: (_: unknown, { count }: { count: number }) => rows.slice(0, count),
  },
  Resolved: Object.fromEntries(names.map((name) => [name, (row: Record<string, unknown>) => row[name]])),
};
const handlers = [true, false].map((codeGeneration) => createHandler({ typeDefs, resolvers, codeGeneration }));

const results: CodeGenerationResult[] = [];
for (const [field, resolvedBy] of [
  ['rows', 'default resolvers'],
  ['resolved', 'resolvers'],
] as const)
  for (const count of [50, 1_000]) {
    const event = createEvent(
      JSON.stringify({ query: `query ($count: Int!) { ${field}(count: $count) { ${names.join(' ')} } }`, variables: { count } }),
    );
    const ratios: number[] = [];
    for (let round = 0; round < rounds + 2; round++) {
      const [withCode, without] = [await measure(handlers[0]!, event, count), await measure(handlers[1]!, event, count)];
      if (round > 1) ratios.push(without / withCode);
    }
    const sorted = ratios.toSorted((a, b) => a - b);
    const workload = `${count.toLocaleString('en')} rows of 8 fields, ${resolvedBy}`;
    results.push({ workload, ratio: rounded(median(ratios)) });
    console.log(`${workload}: ${rounded(median(ratios))} (${rounded(sorted[0]!)} to ${rounded(sorted.at(-1)!)})`);
  }
if (process.env['AS_JSON'] !== undefined) console.log(JSON.stringify(results));

async function measure(handler: (typeof handlers)[number], event: object, count: number): Promise<number> {
  const start = process.cpuUsage();
  for (let call = 0; call < 60_000 / count; call++) await handler(event as never, {} as never);
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
