/**
 * The CPU time, memory and status of hostile requests. Each has a new process, which is warmed up with ordinary requests and then gets
 * the request five times.
 *
 *     node bench/hostile.ts              all of them
 *     node bench/hostile.ts batch        those with "batch" in their name
 *
 * Expected: no request or batch of up to 1 MiB takes more than 100 ms of CPU or 30 MB on an idle core; 300 ms if graphql's limit of
 * validation errors stops it ("Validation aborted."), which our limits leave to few. First: the first time that this process gets such a
 * request, before V8 compiles the code. Median: of all five. Held: the heap after a garbage collection, with the response. Peak: the
 * growth of resident memory, including garbage, which V8 collects when its young generation (32 MB) is full.
 */
import { spawnSync } from 'node:child_process';

import { createHandler } from '../src/entries/aws-lambda.ts';

const node = { id: 1, name: 'n', tags: ['a', 'b'] } as Record<string, unknown>;
Object.assign(node, { node, nodes: () => [node, node] });

const typeDefs = `
  type Query { hello(name: String): String sum(n: [Int!]): Int any(input: Input): Int node: Node nodes(first: Int): [Node!]! either: Either }
  type Mutation { write(input: Input): Int }
  union Either = Left | Right
  type Left { x: String node: Node }
  type Right { x: Int node: Node }
  type Node { id: ID name: String tags: [String!] node: Node nodes(first: Int): [Node!]! }
  input Input { number: Int inner: Input list: [Input!] }
`;
const resolvers = {
  Query: {
    hello: () => 'x',
    sum: (_: unknown, { n }: { n?: number[] }) => n?.length ?? 0,
    node: () => node,
    nodes: () => [node, node],
    either: () => ({ __typename: 'Left', x: 'y', node }),
  },
};

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: string;
}

const repeat = (count: number, one: (index: number) => string): string => Array.from({ length: count }, (_, index) => one(index)).join(' ');
const document = (query: string, variables?: unknown): Sent => ({ body: JSON.stringify({ query, variables }) });
const batch = (one: (index: number) => string): Sent => ({
  body: JSON.stringify(Array.from({ length: 10 }, (_, index) => ({ query: one(index) }))),
});
const withVariables = (query: string, variables: string): Sent => ({ body: `{"query":${JSON.stringify(query)},"variables":${variables}}` });
const overlapping = 'node { id } '.repeat(3700);
const fan = (levels: number, spread: (name: string) => string): string =>
  `{ node { ...F0 } } ${repeat(levels, (index) => `fragment F${index} on Node { ${index + 1 < levels ? spread(`...F${index + 1}`) : 'id'} }`)}`;

const requests: Readonly<Record<string, () => Sent>> = {
  'an ordinary query': () => document('{ node { id name node { id } } }'),
  '500,000 tokens': () => document(`{ ${'a '.repeat(500_000)} }`),
  'one field 14,990 times': () => document(`{ ${'hello '.repeat(14_990)} }`),
  '4,990 aliases': () => document(`{ ${repeat(4990, (index) => `a${index}: hello`)} }`),
  '3,700 objects': () => document(`{ ${repeat(2990, (index) => `a${index}: node { id }`)} }`),
  '14,000 unknown fields': () => document(`{ ${repeat(14_000, (index) => `x${index}`)} }`),
  '2,100 directives': () => document(`{ hello ${'@skip(if: false) '.repeat(2100)} }`),
  '7,000 unknown directives': () => document(`{ hello ${'@a '.repeat(7000)} }`),
  '2,900 operations': () => document(repeat(2900, (index) => `query Q${index} { hello }`)),
  '3,000 variables': () => document(`query (${repeat(3000, (index) => `$v${index}: Int`)}) { hello }`),
  '350,000 comments': () => document(`{ hello ${'#\n'.repeat(330_000)} }`),
  'a million commas': () => document(`{ hello ${','.repeat(1_000_000)} }`),
  'a text of 1 MB': () => document(`{ hello(name: "${'x'.repeat(1_000_000)}") }`),
  'a block text of 500,000 lines': () => document(`{ hello(name: """${'\n'.repeat(500_000)}""") }`),
  'a name of 1 MB': () => document(`{ ${'a'.repeat(1_000_000)} }`),
  'names of 65 KB that conflict': () =>
    document(`{ ${repeat(15, (index) => `${'a'.repeat(65_000)}: ${index % 2 ? 'hello' : 'node { id }'}`)} }`),
  'braces 50,000 deep': () => document('{ node '.repeat(50_000)),
  'braces 199 deep': () => document(`${'{ node '.repeat(199)}{ id ${'}'.repeat(200)}`),
  'overlapping fields': () => document(`{ ${overlapping} }`),
  'overlapping fields, three deep': () => document(`{ ${'node { node { node { id } } } '.repeat(1400)} }`),
  'overlapping inline fragments': () => document(`{ ${'... { hello } '.repeat(3700)} }`),
  'overlapping fragments': () =>
    document(
      `{ node { ${repeat(1000, (index) => `...F${index}`)} } } ${repeat(1000, (index) => `fragment F${index} on Node { node { id } }`)}`,
    ),
  'fragments of different fields': () =>
    document(
      `{ nothing node { ${repeat(1060, (index) => `...F${index}`)} } } ${repeat(1060, (index) => `fragment F${index} on Node { a${index}: id }`)}`,
    ),
  'fields beside fragments': () =>
    document(
      `{ nothing node { ${repeat(1500, (index) => `f${index}: id`)} ${repeat(300, (index) => `...F${index}`)} } } ${repeat(300, (index) => `fragment F${index} on Node { a${index}: id }`)}`,
    ),
  '250 fragments of different fields': () =>
    document(
      `{ nothing node { ${repeat(250, (index) => `...F${index}`)} } } ${repeat(250, (index) => `fragment F${index} on Node { a${index}: id }`)}`,
    ),
  'a batch of fragments of different fields': () =>
    batch(
      (batched) =>
        `query Q${batched} { nothing node { ${repeat(100, (index) => `...F${index}`)} } } ${repeat(100, (index) => `fragment F${index} on Node { a${index}: id }`)}`,
    ),
  'just as many comparisons as allowed': () => document(`{ ${'node { id } '.repeat(220)} nothing }`),
  'overlapping members of a union': () =>
    document(`{ either { ${repeat(700, () => '... on Left { node { id } } ... on Right { node { id } }')} } }`),
  'conflicting fields': () => document(`{ ${repeat(2000, (index) => `a: ${index % 2 ? 'hello' : 'hello(name: "x")'}`)} }`),
  'a fan of 2^20 fields': () => document(fan(20, (next) => `a: node { ${next} } b: node { ${next} }`)),
  'a fan of 2^30 spreads': () => document(fan(30, (next) => `${next} ${next}`)),
  'a fan of 8,000 fields': () => document(fan(12, (next) => `a: node { ${next} } b: node { ${next} }`)),
  'a chain of 1,800 fragments': () => document(fan(1800, (next) => next)),
  'a circle of 1,000 fragments': () =>
    document(`{ node { ...F0 } } ${repeat(1000, (index) => `fragment F${index} on Node { ...F${(index + 1) % 1000} }`)}`),
  '500,000 numbers in variables': () => document('query ($n: [Int!]) { sum(n: $n) }', { n: Array.from({ length: 500_000 }, () => 1) }),
  '250,000 wrong values in variables': () =>
    document('query ($n: [Int!]) { sum(n: $n) }', { n: Array.from({ length: 250_000 }, () => 'x') }),
  '300,000 objects in variables': () =>
    withVariables('query ($i: Input) { any(input: $i) }', `{"i":{"list":[${'{},'.repeat(300_000)}{}]}}`),
  '52,000 objects in variables': () =>
    withVariables('query ($i: Input) { any(input: $i) }', `{"i":{"list":[${'{"number":1},'.repeat(52_000)}{}]}}`),
  'variables 120,000 deep': () =>
    withVariables('query ($i: Input) { any(input: $i) }', `{"i":${'{"inner":'.repeat(100_000)}null${'}'.repeat(100_000)}}`),
  'lists in variables 500,000 deep': () =>
    withVariables('query ($n: [Int!]) { sum(n: $n) }', `{"n":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
  '80,000 keys in the body': () => ({ body: `{${repeat(80_000, (index) => `"k${index}":1,`)}"query":"{ hello }"}` }),
  '340,000 objects in the body': () => ({ body: `{"query":"{ hello }","x":[${'{},'.repeat(340_000)}1]}` }),
  'a batch of overlapping fields': () => batch((index) => `query Q${index} { ${overlapping} }`),
  'a batch of aliases': () => batch((index) => `query Q${index} { ${repeat(4900, (alias) => `a${alias}: hello`)} }`),
  'a batch of one field 14,000 times': () => batch((index) => `query Q${index} { ${'hello '.repeat(14_000)} }`),
  'a batch of unknown fields': () => batch((index) => `query Q${index} { ${repeat(10_000, (field) => `x${field}`)} }`),
  'a batch of fans of 8,000 fields': () =>
    batch((index) => fan(12, (next) => `a: node { ${next} } b: node { ${next} }`).replace('{', `query Q${index} {`)),
  'a batch of ten that each fit': () => batch((index) => `query Q${index} { ${'node { id } '.repeat(370)} }`),
  'a GET of a million ampersands': () => ({ query: `query={hello}${'&'.repeat(1_000_000)}` }),
  'a GET of 340,000 escapes': () => ({ query: `query=${'%7B'.repeat(340_000)}` }),
  'an Accept of 1 MB': () => ({ ...document('{ hello }'), headers: { accept: 'a/b;q=0.1,'.repeat(100_000) } }),
  'a content type of 1 MB': () => ({
    ...document('{ hello }'),
    headers: { 'content-type': `application/json;${'a="b;'.repeat(200_000)}` },
  }),
  'a body of 10 MB': () => ({ body: 'x'.repeat(10 * 1024 * 1024) }),
};

const [wanted = '', mode] = process.argv.slice(2);
if (mode === 'one') await measureHere(wanted);
else measureAll(wanted);

function measureAll(part: string): void {
  console.log(
    `${'request'.padEnd(36)} status   first  median     held     peak  answer\n${' '.repeat(36)}             ms      ms       MB       MB`,
  );
  for (const name of Object.keys(requests).filter((one) => one.includes(part))) {
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', import.meta.filename, name, 'one'], { encoding: 'utf8' });
    process.stdout.write(stdout || stderr);
  }
}

async function measureHere(name: string): Promise<void> {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const handler = createHandler({ typeDefs, resolvers, nodeEnv: '', logger: quiet });
  for (let index = 0; index < 500; index++)
    await handler(eventOf(document(`{ a${index}: node { id ...F } } fragment F on Node { name tags }`)));
  const event = eventOf(requests[name]!());
  globalThis.gc!();
  const before = { heap: process.memoryUsage().heapUsed, resident: process.resourceUsage().maxRSS };

  const times: number[] = [];
  let result = { statusCode: 0, body: '' };
  let held = 0;
  let peak = 0;
  for (let round = 0; round < 5; round++) {
    const start = process.cpuUsage();
    result = (await handler(event)) as typeof result;
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
    if (round === 0) peak = process.resourceUsage().maxRSS - before.resident;
    globalThis.gc!();
    held = Math.max(held, process.memoryUsage().heapUsed - before.heap);
  }
  const median = times.toSorted((one, other) => one - other)[2]!;
  const figures = [
    times[0]!.toFixed(0).padStart(7),
    median.toFixed(0).padStart(7),
    (held / 1e6).toFixed(1).padStart(8),
    (peak / 1e3).toFixed(0).padStart(8),
  ];
  console.log(
    `${name.padEnd(36)} ${result.statusCode}   ${figures.join(' ')}  ${result.body.length} bytes, ${result.body.slice(0, 60).replaceAll('\n', ' ')}`,
  );
}

function eventOf({ headers = {}, query, body }: Sent): never {
  const http = { method: query === undefined ? 'POST' : 'GET' };
  const fields = query === undefined ? { 'content-type': 'application/json', ...headers } : headers;
  return { version: '2.0', rawPath: '/', rawQueryString: query ?? '', headers: fields, requestContext: { http }, body } as never;
}
