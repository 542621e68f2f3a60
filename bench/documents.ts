/**
 * What remembered documents hold: heap after a garbage collection, when more of one shape have been sent than the cache keeps.
 *
 *     node --expose-gc bench/documents.ts            all shapes, each in a separate process
 *     node --expose-gc bench/documents.ts nested     one
 *
 * The promise: with the default of 30 MiB no shape holds more than 30 MiB, plans included.
 */
import { spawnSync } from 'node:child_process';

import { createHandler } from '../src/entries/aws-lambda.ts';

const typeDefs = `
  type Query { a(l: [Int]): Int node: Query nodes: [Query] text(text: String): String u: U longFieldNameOfSomeKind: Query anotherLongFieldName: String }
  type A { node: Query a: Int }
  type B { node: Query a: Int }
  union U = A | B
`;
const fill = (count: number, part: (index: number) => string): string => Array.from({ length: count }, (_, index) => part(index)).join('');
const name = (index: number): string => `n${index.toString(36)}`;

/** The text of a document by its number. All are different. */
const shapes: Readonly<Record<string, (index: number) => string>> = {
  ordinary: (i) =>
    `query Op${i} { longFieldNameOfSomeKind { anotherLongFieldName longFieldNameOfSomeKind { a } } nodes { anotherLongFieldName } }`,
  tiny: (i) => `{${name(i)}:a}`,
  repeated: (i) => `{${name(i)}:node{${fill(300, () => 'a ')}}}`,
  aliases: (i) => `{${fill(400, (j) => `${name(i * 400 + j)}:a `)}}`,
  nested: (i) => `{${name(i)}:${fill(90, () => 'node{a ')}a${'}'.repeat(91)}`,
  lists: (i) => `{${name(i)}:a(l:[${fill(1000, () => '1 ')}])}`,
  text: (i) => `{${name(i)}:text(text:"${'t'.repeat(8000)}")}`,
  comments: (i) => `{${name(i)}:a}#${'c'.repeat(8000)}`,
  wide: (i) => `{${name(i)}:text(text:"${'ü€'.repeat(3000)}")}`,
  fragments: (i) => `query ${name(i)} {u{...F}} fragment F on A{a node{...G}} fragment G on Query{${fill(100, (j) => `${name(j)}:a `)}}`,
  unions: (i) => `{${name(i)}:u{${fill(60, (j) => `...on A{k${j}:a}...on B{k${j}:a}`)}}}`,
  operations: (i) => fill(60, (j) => `query Q${name(i)}x${j}{a}`),
};

const [asked] = process.argv.slice(2);
const shape = asked === undefined ? undefined : shapes[asked];
if (shape === undefined) {
  for (const each of Object.keys(shapes)) {
    const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', import.meta.filename, each], { encoding: 'utf8' });
    process.stdout.write(stdout || stderr);
  }
} else {
  await measure(asked!, shape);
}

async function measure(what: string, textOf: (index: number) => string): Promise<void> {
  const node: unknown = new Proxy({}, { get: (_target, key) => valueOf(String(key)) });
  const valueOf = (key: string): unknown =>
    ({
      a: 1,
      text: 'x',
      anotherLongFieldName: 'x',
      node,
      longFieldNameOfSomeKind: node,
      nodes: [node],
      u: { __typename: 'A', node, a: 1 },
    })[key];
  const handler = createHandler({ typeDefs, rootValue: node, nodeEnv: '', maxTokens: 100_000 });
  const send = (query: string): Promise<unknown> =>
    handler({
      version: '2.0',
      rawPath: '/',
      rawQueryString: '',
      headers: { 'content-type': 'application/json' },
      requestContext: { http: { method: 'POST', path: '/' } },
      body: JSON.stringify({ query, operationName: what === 'operations' ? /Q\w+/.exec(query)![0] : undefined }),
      isBase64Encoded: false,
    } as never);

  await send(textOf(0));
  const before = heap();
  let characters = 0;
  for (let index = 1; characters < 2.5e6 && index < 120_000; index++) {
    const text = textOf(index);
    characters += text.length;
    await send(text);
  }
  console.log(`${what.padEnd(12)} sent ${(characters / 2 ** 20).toFixed(1)} MiB, held ${((heap() - before) / 2 ** 20).toFixed(1)} MiB`);
}

function heap(): number {
  globalThis.gc!();
  return process.memoryUsage().heapUsed;
}
