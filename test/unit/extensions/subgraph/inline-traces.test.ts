import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { GraphQLError } from 'graphql';

import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { inlineTraces, subgraph } from '../../../../src/entries/subgraph.ts';
import { serveSubgraph } from './serving.ts';
import type { Answer } from './serving.ts';

/** A decoded message: the values of each field by its number. Length-delimited values are bytes. */
type Message = Record<number, (number | Uint8Array)[]>;

/** Decodes one message of Protocol Buffers. */
function decode(bytes: Uint8Array): Message {
  const message: Message = {};
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const values = (message[Math.floor(tag / 8)] ??= []);
    if (tag % 8 === 0) values.push(varint());
    else if (tag % 8 === 1) values.push(new DataView(bytes.buffer, bytes.byteOffset + (at += 8) - 8, 8).getFloat64(0, true));
    else {
      const length = varint();
      values.push(bytes.subarray(at, (at += length)));
    }
  }
  return message;
}

/** A node of the trace. */
function nodeOf(bytes: Uint8Array): any {
  const message = decode(bytes);
  const textOf = (value: unknown): string => new TextDecoder().decode(value as Uint8Array);
  const text = (field: number): string | undefined => message[field] && textOf(message[field][0]);
  return {
    name: text(1),
    index: message[2]?.[0],
    original: text(14),
    type: text(3),
    parentType: text(13),
    start: message[8]?.[0] ?? 0,
    end: message[9]?.[0] ?? 0,
    errors: (message[11] ?? []).map((error) => JSON.parse(textOf(decode(error as Uint8Array)[4]![0]))),
    children: (message[12] ?? []).map((child) => nodeOf(child as Uint8Array)),
  };
}

function rootOf({ extensions }: Answer): any {
  return nodeOf(decode(Buffer.from(extensions.ftv1, 'base64'))[14]![0] as Uint8Array);
}

const traced = { 'apollo-federation-include-trace': 'ftv1' };
const typeDefs = 'type Query { rows: [Row!]! fails: Int refuses: Int later: Row } type Row { id: ID! name: String }';
const resolvers = {
  Query: {
    rows: () => [{ id: 1 }, { id: 2 }],
    fails: () => {
      throw new Error('secret');
    },
    refuses: () => {
      throw new GraphQLError('public', { extensions: { code: 'NO', serviceName: 'below' } });
    },
  },
};

describe('inlineTraces', () => {
  it('answers with extensions.ftv1 only if the header says so', async () => {
    const ask = serveSubgraph({ typeDefs, resolvers, traces: inlineTraces() });

    for (const headers of [{}, { 'apollo-federation-include-trace': 'ftv2' }])
      deepEqual(await ask('{ rows { id } }', {}, headers), { data: { rows: [{ id: '1' }, { id: '2' }] } });
    equal(typeof (await ask('{ rows { id } }', {}, traced)).extensions.ftv1, 'string');
    equal((await serveSubgraph({ typeDefs, resolvers })('{ rows { id } }', {}, traced)).extensions, undefined);
  });

  it('has a node for each resolver, in lists below their indexes, without introspection', async () => {
    const ask = serveSubgraph({ typeDefs, resolvers, traces: inlineTraces(), introspection: true });

    const { children } = rootOf(await ask('{ all: rows { id __typename } __schema { queryType { name } } }', {}, traced));

    equal(children.length, 1);
    const [all] = children;
    deepEqual([all.name, all.original, all.type, all.parentType], ['all', 'rows', '[Row!]!', 'Query']);
    deepEqual(all.children.map(({ index, name, type }: any) => [index, name, type]), [[0, undefined, undefined], [1, undefined, undefined]]); // prettier-ignore
    deepEqual(
      all.children[0].children.map(({ name, type, parentType }: any) => [name, type, parentType]),
      [['id', 'ID!', 'Row']],
    );
    ok(all.start > 0 && all.end >= all.start);
  });

  it('ends a field when its promise settles', async () => {
    const later = Promise.withResolvers<object>();
    const ask = serveSubgraph({
      typeDefs,
      resolvers: { Query: { later: () => later.promise }, Row: { name: () => 'name' } },
      traces: inlineTraces(),
    });

    const asking = ask('{ later { id name } }', {}, traced);
    setImmediate(() => later.resolve({ id: 1 }));

    const [field] = rootOf(await asking).children;
    ok(field.end >= field.start);
    ok(field.children[0].start >= field.end);
  });

  it('masks errors at their paths, and leaves out those of subgraphs below', async () => {
    const ask = serveSubgraph({ typeDefs, resolvers, traces: inlineTraces() });

    const { children } = rootOf(await ask('{ fails refuses }', {}, traced));

    deepEqual(children.find(({ name }: any) => name === 'fails').errors, [
      { message: '<masked>', locations: [{ line: 1, column: 3 }], path: ['fails'], extensions: { maskedBy: 'graphql-functions' } },
    ]);
    deepEqual(children.find(({ name }: any) => name === 'refuses').errors, []);
  });

  it('sends errors as they were thrown, or as transform returns them', async () => {
    const errorsWith = async (includeErrors: any): Promise<unknown[]> => {
      const ask = serveSubgraph({ typeDefs, resolvers, maskErrors: true, traces: inlineTraces({ includeErrors }) });
      const answer = await ask('{ fails }', {}, traced);
      match(answer.errors![0]!.message, /^Internal server error$/);
      return rootOf(answer).children[0].errors.map(({ message, path }: any) => [message, path]);
    };

    deepEqual(await errorsWith({ unmodified: true }), [['secret', ['fails']]]);
    deepEqual(await errorsWith({ transform: ({ message }: GraphQLError) => new GraphQLError(`no ${message}`) }), [
      ['no secret', ['fails']],
    ]);
    deepEqual(await errorsWith({ transform: () => null }), []);
    deepEqual(await errorsWith({ transform: () => 'text' }), [['<masked>', ['fails']]]);
  });

  it('has the errors of refused requests at the root', async () => {
    const ask = serveSubgraph({ typeDefs, resolvers, traces: inlineTraces() });

    for (const query of ['{ nothing }', '{', 'query ($a: Int!) { rows { id } }']) {
      const { children, errors } = rootOf(await ask(query, {}, traced));
      equal(children.length, 0);
      ok(errors.length > 0, query);
    }
  });

  it('has errors of any length, in any language, at any depth', async () => {
    const message = 'a€😀'.repeat(5_000);
    const node = {
      node: () => node,
      fails: () => {
        throw new Error(message);
      },
    };
    const ask = serveSubgraph({
      typeDefs: 'type Query { node: Node } type Node { node: Node fails: Int }',
      resolvers: { Query: { node: () => node } },
      traces: inlineTraces({ includeErrors: { unmodified: true } }),
    });

    let [found] = rootOf(await ask(`${'{ node '.repeat(150)}{ fails }${' }'.repeat(150)}`, {}, traced)).children;
    for (let level = 1; level <= 150; level++) [found] = found.children;

    equal(found.name, 'fails');
    equal(found.errors[0].message, message);
  });

  it('is left out if its names or errors take more than 1 MiB, as those of nested lists do', async () => {
    const node = {
      node: () => node,
      nodes: () => Array.from({ length: 1_000 }, () => node),
      fails: () => {
        throw new Error('fails');
      },
    };
    const ask = serveSubgraph({
      typeDefs: 'type Query { node: Node } type Node { node: Node nodes: [Node!] fails: Int id: Int }',
      resolvers: { Query: { node: () => node } },
      traces: inlineTraces(),
    });
    const alias = 'a'.repeat(250);
    const nested = (levels: number, inner: string): string => `{ ${`${alias}: node { `.repeat(levels)}${inner}${' }'.repeat(levels)} }`;

    equal(typeof (await ask(nested(50, 'nodes { id }'), {}, traced)).extensions?.ftv1, 'string');
    equal((await ask(nested(50, 'nodes { fails }'), {}, traced)).extensions?.ftv1, undefined);
    const rows = `nodes { ${Array.from({ length: 4 }, (_, index) => `${alias}${index}: id`).join(' ')} }`;
    equal((await ask(nested(1, rows), {}, traced)).extensions?.ftv1, undefined);
  });

  it('is left out of answers in parts, and of answers with more than 20,000 resolvers', async () => {
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id }));
    const handler = createHandler(
      subgraph({
        typeDefs,
        resolvers: { Query: { rows: () => rows } },
        traces: inlineTraces(),
        incrementalDelivery: incrementalDelivery(),
      }),
    );
    const send = async (query: string, accept: string): Promise<string> => {
      const headers = { 'content-type': 'application/json', accept, ...traced };
      return (await handler(new Request('https://x.test/', { method: 'POST', headers, body: JSON.stringify({ query }) }))).text();
    };

    const parts = await send('{ later { id } ... @defer { rows { id } } }', 'multipart/mixed');
    match(parts, /hasNext/);
    equal(parts.includes('ftv1'), false);
    equal((await send('{ rows { id } }', 'application/json')).includes('ftv1'), true);
    equal((await send('{ rows { id name } }', 'application/json')).includes('ftv1'), false);
  });
});
