import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';

import { createHandler } from '../../../../../src/entries/index.ts';
import type { TrustedDocumentManifest } from '../../../../../src/server/operation/documents/trusted-documents.ts';
import { createEndpoint } from '../../../../support/endpoint.ts';
import { get, json, plainRequest, post } from '../../../../support/plain-http.ts';
import type { PlainRequest } from '../../../../support/plain-http.ts';

const text = 'query Hello($name: String) { hello(name: $name) }';
const id = '3b9cd27a1f8a1f0b2cd4b2f6f3b3a9c08a3b7d5e';
const greeting = { data: { hello: 'Hello, Ada!' } };
const variables = { name: 'Ada' };

/** The three formats, as written by their tools. */
const manifests: Readonly<Record<string, TrustedDocumentManifest>> = {
  "Apollo's operation manifest": {
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: [{ id, name: 'Hello', type: 'query', body: text }],
  },
  "Relay's persisted queries": { [id]: text },
  "the client preset's persisted-documents.json": { [id]: text, '5d41402abc4b2a76b9719d911017c592': 'mutation Write { write }' },
};

const names = ['documentId', 'id', 'doc_id'];
const asHash = { persistedQuery: { version: 1, sha256Hash: id } };
const getting = (parameters: object): PlainRequest => get({ ...parameters, variables: JSON.stringify(variables) });
/** Requests for the document by its id. */
const byId: Readonly<Record<string, PlainRequest>> = {
  'an id in the extensions': post({ extensions: { documentId: id }, variables }),
  'the hash of a persisted-query link': post({ extensions: asHash, variables }),
  'documentId with its algorithm as a prefix': post({ documentId: `sha256:${id}`, variables }),
  'its exact text': post({ query: text, variables }),
  ...Object.fromEntries(
    names.flatMap((name) => [
      [`${name} in a POST`, post({ [name]: id, variables })],
      [`${name} in a GET`, getting({ [name]: id })],
      [
        `${name} beside the same id as an extension, and as a hash`,
        post({ [name]: id, extensions: { documentId: id, ...asHash }, variables }),
      ],
    ]),
  ),
};

for (const [format, documents] of Object.entries(manifests))
  for (const [way, request] of Object.entries(byId))
    it(`a trusted document from ${format} runs by ${way}`, async () => {
      const response = await createEndpoint({ trustedDocuments: { documents, only: true } }).send(request);

      assert.deepEqual(json(response), greeting);
    });

describe('a document id', () => {
  const differ = /^Expected the document id and "extensions\..*" to be the same, got ".*" and (?:"other"|5)\.$/;
  const conflicts: readonly (readonly [parameters: object, expected: RegExp])[] = names.flatMap((name) => [
    [{ [name]: 5 }, new RegExp(`^Expected "${name}" to be a string, got 5\\.$`)],
    [{ documentId: id, id, doc_id: id, [name]: 'other' }, /^Expected the document id and/],
    [{ [name]: id, extensions: { documentId: 'other' } }, differ],
    [{ [name]: id, extensions: { persistedQuery: { version: 1, sha256Hash: 'other' } } }, differ],
    [{ [name]: id, extensions: { persistedQuery: { version: 1, sha256Hash: 5 } } }, differ],
  ]);
  for (const [parameters, expected] of conflicts)
    it(`is refused with 422 if it is no string, or disagrees with another name: ${JSON.stringify(parameters)}`, async () => {
      const endpoint = createEndpoint({ trustedDocuments: { documents: { [id]: text } } });

      const response = await endpoint.send(post({ ...parameters, variables }));

      assert.equal(response.status, 422);
      assert.match(json(response).errors[0].message, expected);
      assert.deepEqual(endpoint.runs, []);
    });
});

describe('beside a text, a number is an id of the client, as in JSON-RPC', () => {
  for (const name of names)
    for (const only of [false, true])
      it(`${name}, with only: ${only}`, async () => {
        const endpoint = createEndpoint({ trustedDocuments: { documents: { [id]: text }, only } });

        const response = await endpoint.send(post({ query: text, variables, [name]: 1 }));

        assert.deepEqual([response.status, json(response)], [200, greeting]);
      });

  it('but without a text it names no document', async () => {
    const response = await createEndpoint({ trustedDocuments: { documents: { [id]: text } } }).send(post({ id: 1 }));

    assert.equal(response.status, 422);
    assert.equal(json(response).errors[0].message, 'Expected "id" to be a string, got 1.');
  });
});

it('the hash beside a trusted document must be its own, also without persisted queries', async () => {
  const own = createHash('sha256').update(text).digest('hex');
  const statuses = [own, 'f'.repeat(64)].map(async (sha256Hash) => {
    const endpoint = createEndpoint({ persistedQueries: false, trustedDocuments: { documents: { [id]: text } } });
    return (await endpoint.send(post({ query: text, variables, extensions: { persistedQuery: { version: 1, sha256Hash } } }))).status;
  });

  assert.deepEqual(await Promise.all(statuses), [200, 400]);
});

describe('trusted documents, only: true', () => {
  const documents = { [id]: text };
  const refused: Readonly<Record<string, unknown>> = {
    'another document': { query: '{ hello }' },
    'a document that differs by a space': { query: `${text} `, variables },
    'an unknown id': { id: 'unknown' },
    'an id that is a property name of Object.prototype': { id: 'constructor' },
    'an unknown hash': { extensions: { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } } },
    'a hash with its document': { query: '{ hello }', extensions: { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } } },
    'a known id with another document': { id, query: '{ hello }' },
    introspection: { query: '{ __schema { queryType { name } } }' },
  };
  for (const [name, body] of Object.entries(refused)) {
    it(`${name} is 400 with a clear message, and runs nothing`, async () => {
      const endpoint = createEndpoint({ trustedDocuments: { documents, only: true } });

      const response = await endpoint.send(post(body));

      assert.equal(response.status, 400);
      const [error] = json(response).errors;
      assert.equal(error.extensions.code, 'BAD_REQUEST');
      assert.match(error.message, /^Expected one of the server's trusted documents \(trustedDocuments\), got /);
      assert.deepEqual(endpoint.runs, []);
    });
  }

  it('another document runs in development alone, and the response says that production refuses it', async () => {
    for (const nodeEnv of ['development', 'test', 'production', undefined]) {
      const endpoint = createEndpoint({ nodeEnv: nodeEnv ?? '', trustedDocuments: { documents, only: true } });
      const other = await endpoint.send(post({ query: '{ hello }' }));
      const sha256Hash = createHash('sha256').update('{ hello }').digest('hex');
      const hashed = await endpoint.send(post({ query: '{ hello }', extensions: { persistedQuery: { version: 1, sha256Hash } } }));
      const trusted = await endpoint.send(post({ id, variables }));

      assert.equal(other.status, nodeEnv === 'development' ? 200 : 400);
      assert.equal(
        other.headers.get('graphql-functions-notice'),
        nodeEnv === 'development' ? 'Production refuses this operation: it is not in trustedDocuments.' : undefined,
      );
      assert.equal(hashed.headers.get('graphql-functions-notice'), other.headers.get('graphql-functions-notice'));
      assert.equal(trusted.headers.get('graphql-functions-notice'), undefined);
    }
  });

  it('the text of a trusted document has not its onError, and is refused beside the hash of another text', async () => {
    const documents = { one: { text: '{ explode hello }', onError: 'NULL' as const } };
    const resolvers = { Query: { hello: () => 'Hello', explode: () => Promise.reject(new Error('failed')) } };
    const typeDefs = 'type Query { hello: String explode: String! }';
    for (const only of [true, false]) {
      const endpoint = createEndpoint({ typeDefs, resolvers, trustedDocuments: { documents, only } });
      const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update('{ hello }').digest('hex') } };

      const named = await endpoint.send(post({ id: 'one' }));
      const sent = await endpoint.send(post({ query: documents.one.text }));
      const both = await endpoint.send(post({ id: 'one', query: documents.one.text }));
      const mixed = await endpoint.send(post({ query: documents.one.text, extensions }));

      assert.deepEqual(json(named).data, { explode: null, hello: 'Hello' });
      assert.deepEqual([json(sent).data, json(both).data], [null, null]);
      assert.equal(mixed.status, 400);
    }
  });

  it('run by documentId in a direct invocation', async () => {
    const handler = createHandler({
      typeDefs: 'type Query { hello(name: String): String }',
      nodeEnv: '',
      trustedDocuments: { documents, only: true },
    });

    assert.deepEqual(await handler({ documentId: id, variables }), { data: { hello: null } });
    assert.match((await handler({ query: '{ hello }' })).errors[0].message, /trusted documents/);
  });

  it('a mutation among them is still refused over GET', async () => {
    const endpoint = createEndpoint({ trustedDocuments: { documents: { m: 'mutation { write }' }, only: true } });

    const response = await endpoint.send(get({ id: 'm' }));

    assert.equal(response.status, 405);
    assert.deepEqual(endpoint.runs, []);
  });
});

describe('trusted documents beside others', () => {
  const documents = { [id]: text };

  it('other documents run, an unknown id is 400', async () => {
    const { send } = createEndpoint({ trustedDocuments: { documents } });

    const unknown = await send(post({ id: 'unknown' }));

    assert.equal((await send(post({ query: '{ hello }' }))).status, 200);
    assert.equal(unknown.status, 400);
    assert.match(json(unknown).errors[0].message, /got the id "unknown"\.$/);
  });

  it('an unknown hash is still an automatic persisted query', async () => {
    const response = await createEndpoint({ trustedDocuments: { documents } }).send(
      post({ extensions: { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } } }),
    );

    assert.equal(json(response).errors[0].extensions.code, 'PERSISTED_QUERY_NOT_FOUND');
  });
});

describe('document ids where there are no trusted documents', () => {
  it('are unknown parameters, and ignored', async () => {
    const endpoint = createEndpoint();

    const posted = await endpoint.send(post({ query: '{ hello }', id: 7, documentId: ['x'], doc_id: 'x' }));
    const got = await endpoint.send(plainRequest({ query: 'query={hello}&id=1&id=2' }));

    assert.deepEqual([posted.status, got.status], [200, 200]);
  });

  it('do not stand for a query', async () => {
    const response = await createEndpoint().send(post({ id }));

    assert.equal(response.status, 422);
    assert.match(
      json(response).errors[0].message,
      /^Expected "query" to be the text of a GraphQL document, but it is missing\. This server has no trusted documents/,
    );
  });
});

for (const [documents, got] of [
  [null, /to be an Apollo operation manifest/],
  [[[]], /documents\[0\] to be an Apollo operation manifest/],
  ['query', /to be an Apollo operation manifest/],
  [{ operations: [{ id: 7, body: '{ a }' }] }, /, got an operation with the id 7\.$/],
  [{ format: 'apollo-persisted-query-manifest', operations: [{}] }, /to be an Apollo operation manifest/],
  [{ one: { text: '{ a }', isReplaced: 'no' } }, /, got something else for the id "one"\.$/],
  [[{ one: '{ a }' }, { two: { text: 5 } }], /documents\[1\] to be .*, got something else for the id "two"\.$/],
] as const)
  it(`a manifest in no known format throws at once: ${JSON.stringify(documents)}`, () => {
    assert.throws(() => createEndpoint({ trustedDocuments: { documents: documents as never } }), got);
  });

describe('a list of manifests', () => {
  const apollo = (...operations: readonly object[]): TrustedDocumentManifest =>
    ({ format: 'apollo-persisted-query-manifest', version: 1, operations }) as never;

  it('has the documents of all of them, in any format, and may repeat one', async () => {
    const documents = [{ [id]: text }, apollo({ id, body: text }, { id: 'sum', body: '{ sum(numbers: [1]) }' }), { [id]: { text } }, {}];
    const endpoint = createEndpoint({ trustedDocuments: { documents, only: true } });

    const hello = await endpoint.send(post({ id, variables }));
    const sum = await endpoint.send(post({ id: 'sum' }));
    const other = await endpoint.send(post({ query: '{ __typename }' }));

    assert.deepEqual([json(hello), json(sum), other.status], [greeting, { data: { sum: 1 } }, 400]);
  });

  const long = `{ ${'hello '.repeat(40)}}`;
  for (const [name, documents, message] of [
    [
      'two manifests',
      [{ a: '{ hello }' }, { a: '{ sum }' }],
      '"{ hello }" in trustedDocuments.documents[0] and "{ sum }" in trustedDocuments.documents[1].',
    ],
    [
      "Apollo's manifest",
      apollo({ id: 'a', body: '{ hello }' }, { id: 'a', body: '{ sum }' }),
      '"{ hello }" in trustedDocuments.documents and "{ sum }" in trustedDocuments.documents.',
    ],
    [
      'two formats',
      [apollo({ id: 'a', body: '{ hello }' }), { a: { text: '{ hello }', onError: 'NULL' } }],
      '"{ hello }" in trustedDocuments.documents[0] and "{ hello }" with onError NULL in trustedDocuments.documents[1].',
    ],
    [
      "onError in Apollo's manifest",
      [apollo({ id: 'a', body: '{ hello }', onError: 'HALT' }), { a: '{ hello }' }],
      '"{ hello }" with onError HALT in trustedDocuments.documents[0] and "{ hello }" in trustedDocuments.documents[1].',
    ],
    [
      'long texts',
      [{ a: long }, {}, { a: '{ sum }' }],
      `"${long.slice(0, 100)}…" in trustedDocuments.documents[0] and "{ sum }" in trustedDocuments.documents[2].`,
    ],
  ] as const)
    it(`that has two documents for an id (${name}) is refused at start`, () => {
      assert.throws(() => createEndpoint({ trustedDocuments: { documents } }), {
        name: 'TypeError',
        message: `Expected one document for the id "a", got ${message}`,
      });
    });
});

for (const element of [null, []])
  it(`a batch element that is ${JSON.stringify(element)} is also refused with document ids, and the other elements are answered`, async () => {
    const { send } = createEndpoint({ trustedDocuments: { documents: { [id]: text }, only: true } });

    const [first, second, third] = json(await send(post([element, { id, variables }, { query: '{ hello }' }])));

    assert.equal(first.errors[0].extensions.code, 'BAD_REQUEST');
    assert.deepEqual(second, greeting);
    assert.equal(third.errors[0].extensions.code, 'BAD_REQUEST');
  });
