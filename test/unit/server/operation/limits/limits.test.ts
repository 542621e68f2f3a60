import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parse } from 'graphql';

import { measureDocument } from '../../../../../src/server/operation/limits/document-size.ts';
import type { ServerOptions } from '../../../../../src/server/startup/options.ts';
import { createEndpoint } from '../../../../support/endpoint.ts';
import { json, post } from '../../../../support/plain-http.ts';

/** A document with this many levels of braces. */
function nested(levels: number): string {
  return `${'{ ... '.repeat(levels - 1)}{ hello }${' }'.repeat(levels - 1)}`;
}

/** An operation with this many fragments, each in the one before it. */
function fragments(count: number): string {
  const texts = Array.from({ length: count }, (_, at) => `fragment F${at} on Query { ${at + 1 < count ? `...F${at + 1}` : 'hello'} }`);
  return `{ ...F0 } ${texts.join(' ')}`;
}

const ten = (places: number): string =>
  `query { ${Array.from({ length: places }, (_, at) => `a${at}: books { ...F }`).join(' ')} } fragment F on Book { ${'title '.repeat(10)} }`;
const manyBraces = '{'.repeat(300);

/** A limit, a document exactly at it, and one just above it. */
const edges: readonly (readonly [name: string, options: Partial<ServerOptions>, within: string, beyond: string])[] = [
  ['maxTokens: tokens', { maxTokens: 4 }, '{ hello hello }', '{ hello hello hello }'],
  ['maxTokens: commas and spaces are none', { maxTokens: 3 }, '{ ,,, hello ,,, }', '{ ,,, hello hello }'],
  ['maxTokens: comments', { maxTokens: 3 }, '{#\n#\n#\nhello}', '{#\n#\n#\n#\nhello}'],
  ['maxTokens: fields, fragments written out', { maxTokens: 40 }, ten(2), ten(4)],
  ['nesting: braces', {}, nested(200), nested(201)],
  [
    'nesting: brackets and parentheses',
    {},
    `{ books(filter: ${'{ and: '.repeat(197)}{}${' }'.repeat(197)}) { title } }`,
    `{ sum(numbers: ${'['.repeat(199)}1${']'.repeat(199)}) }`,
  ],
  ['nesting: none in strings', {}, `{ hello(name: "${manyBraces} \\" (((") }`, `{ hello(name: "") ... ${nested(200)} }`],
  ['nesting: none in block strings', {}, `{ hello(name: """${manyBraces} " \\""" ((( """) }`, `{ hello(name: """""") ... ${nested(200)} }`],
  ['nesting: none in comments', {}, `{ # ${manyBraces}\n books { title } }`, `{ # }\n ... ${nested(200)} }`],
  ['nesting: braces, fragments written out', {}, fragments(199), fragments(200)],
];

describe('limits', () => {
  for (const [name, options, within, beyond] of edges) {
    it(`${name}: exactly at the limit runs, just above it is refused and runs nothing`, async () => {
      const endpoint = createEndpoint(options);

      const response = await endpoint.send(post({ query: beyond }));

      const [error] = json(response).errors;
      const isBeforeParsing = /nest(?:s deeper)|tokens|comments/.test(error.message);
      assert.equal(error.extensions.code, isBeforeParsing ? 'GRAPHQL_PARSE_FAILED' : 'GRAPHQL_VALIDATION_FAILED');
      assert.equal(response.status, isBeforeParsing ? 400 : 422);
      assert.deepEqual(endpoint.runs, []);
      assert.equal((await endpoint.send(post({ query: within }))).status, 200);
    });
  }

  it('report to validationDidStart: its end callback gets the errors', async () => {
    const seen: unknown[] = [];
    const endpoint = createEndpoint({
      maxTokens: 110,
      plugins: [{ requestDidStart: () => ({ validationDidStart: () => (errors) => void seen.push(errors?.length) }) }],
    });

    const three = (field: string): string => ['a', 'b', 'c'].map((alias) => `${alias}: ${field}`).join(' ');
    const fragments = `fragment A on Query { ${three('books { ...B }')} } fragment B on Book { ${three('author { ...C }')} }
      fragment C on Author { ${three('books { ...D }')} } fragment D on Book { ${three('title')} }`;
    await endpoint.send(post({ query: `{ ...A } ${fragments}` }));

    assert.deepEqual(seen, [1]);
  });
});

describe('fields that are selected many times', () => {
  /** Selects this many books on one level: graphql-js compares each pair of them, and each pair of their titles. */
  const books = (count: number): string => `{ ${'books { title } '.repeat(count)} }`;

  it('run if merging them takes at most 50,000 comparisons, and are refused above that, before graphql-js compares any', async () => {
    const within = await createEndpoint().send(post({ query: books(224) }));
    const beyond = await createEndpoint().send(post({ query: books(225) }));

    assert.deepEqual([within.status, beyond.status], [200, 422]);
    assert.match(json(beyond).errors[0].message, /merging those with the same name would take more than 50000 comparisons\.$/);
    assert.equal(json(beyond).errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
  });

  const hidden: Readonly<Record<string, string>> = {
    'in a fragment': `{ ...F } fragment F on Query ${books(225)}`,
    'in a fragment that nothing spreads': `{ hello } fragment F on Query ${books(225)}`,
    'over several fragments': `{ ${Array.from({ length: 225 }, (_, index) => `...F${index}`).join(' ')} } ${Array.from({ length: 225 }, (_, index) => `fragment F${index} on Query { books { title } }`).join(' ')}`,
    'in inline fragments': `{ ${'... { books { title } } '.repeat(225)} }`,
    'in an operation that is not run': `query A { hello } query B ${books(225)}`,
    'below fields that are merged': `{ ${`books { ${'title '.repeat(16)} } `.repeat(20)} }`,
    'in a document that is not valid': `{ nothing ${'books { title } '.repeat(225)} }`,
  };
  for (const [name, query] of Object.entries(hidden)) {
    it(`are found ${name}`, async () => {
      const response = await createEndpoint().send(post({ query, operationName: query.startsWith('query A') ? 'A' : undefined }));

      assert.equal(response.status, 422);
      assert.match(json(response).errors[0].message, /more than 50000 comparisons/);
    });
  }

  it('have equal shares in a batch', async () => {
    const response = await createEndpoint().send(post([{ query: books(120) }, { query: books(200) }, { query: '{ hello }' }]));

    const [first, second, third] = json(response);
    assert.deepEqual([first.errors, third.errors], [undefined, undefined]);
    assert.match(second.errors[0].message, /more than 16666 comparisons/);
  });

  it('run with 60 fragments that each select id and __typename, as generated by clients', async () => {
    const spread = Array.from({ length: 60 }, (_, at) => `...F${at}`).join(' ');
    const defined = Array.from({ length: 60 }, (_, at) => `fragment F${at} on Book { __typename title author { __typename name } }`).join(
      ' ',
    );

    const response = await createEndpoint().send(post({ query: `{ books { ${spread} } } ${defined}` }));

    assert.equal(response.status, 200);
  });
});

describe('a limit is not itself the attack (CVE-2026-34573)', () => {
  const fan = (levels: number): string => {
    const fragments = Array.from({ length: levels }, (_, level) => {
      const next = level + 1 < levels ? `...F${level + 1}` : 'name';
      return `fragment F${level} on Author { a: books { author { ${next} } } b: books { author { ${next} } } }`;
    });
    return `{ books { author { ...F0 } } } ${fragments.join(' ')}`;
  };

  it('a fan of 2^90 fields is refused', async () => {
    const endpoint = createEndpoint();

    const response = await endpoint.send(post({ query: fan(90) }));

    assert.equal(response.status, 422);
    assert.deepEqual(endpoint.runs, []);
  });

  it('a fragment is measured once, wherever it is spread: 4 to the power of 30 fields are counted', () => {
    const fragments = Array.from({ length: 30 }, (_, level) => {
      const next = level === 29 ? 'title' : `author { ...F${level + 1} }`;
      return `fragment F${level} on Book { a: ${next} b: ${next} c: ${next} d: ${next} }`;
    });
    const document = parse(`{ ...F0 } ${fragments.join(' ')}`);

    const { operations } = measureDocument(document, 15_000);

    const [fields] = operations.values();
    assert.equal(fields, (4 ** 31 - 4) / 3);
  });

  it('a document is too large to measure if its fragments have more than four selections for each token that it may have', () => {
    const fields = Array.from({ length: 100 }, (_, index) => `f${index}`).join(' ');
    const places = Array.from({ length: 100 }, (_, index) => `a${index}: author { ...F }`).join(' ');

    const { operations, comparisons } = measureDocument(parse(`{ ${places} } fragment F on Book { ${fields} }`), 1_000);

    assert.deepEqual([[...operations.values()][0], comparisons], [Infinity, Infinity]);
  });

  it('a fragment that does not exist has no size', () => {
    const document = parse('{ a ...F } fragment F on Query { b ...Unknown }');

    const [fields] = measureDocument(document, 1_000).operations.values();

    assert.equal(fields, 2);
  });

  it('fragments that spread each other in many places are limited by a budget, not walked on all paths', async () => {
    const sets = Array.from({ length: 900 }, (_, at) => `a${at}: books { ...F0 }`).join(' ');
    const chain = Array.from({ length: 900 }, (_, at) => `fragment F${at} on Book { ${at < 899 ? `...F${at + 1}` : 'title'} }`).join(' ');

    const response = await createEndpoint().send(post({ query: `{ ${sets} } ${chain}` }));

    assert.equal(response.status, 422);
  });
});
