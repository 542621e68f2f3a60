import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it, test } from 'node:test';

import { createHandler } from '../../../../../src/entries/index.ts';
import type { TrustedDocumentManifest } from '../../../../../src/server/operation/documents/trusted-documents.ts';
import { createEndpoint } from '../../../../support/endpoint.ts';
import { get, json, plainRequest, post } from '../../../../support/plain-http.ts';

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

for (const [format, documents] of Object.entries(manifests)) {
  describe(`trusted documents from ${format}`, () => {
    it('run by an id in the extensions', async () => {
      const response = await createEndpoint({ trustedDocuments: { documents, only: true } }).send(
        post({ extensions: { documentId: id }, variables }),
      );

      assert.deepEqual(json(response), greeting);
    });

    for (const name of ['documentId', 'id', 'doc_id']) {
      it(`run by ${name} in a POST`, async () => {
        const response = await createEndpoint({ trustedDocuments: { documents, only: true } }).send(post({ [name]: id, variables }));

        assert.deepEqual(json(response), greeting);
      });

      it(`run by ${name} beside the same id as an extension, and as a hash`, async () => {
        const extensions = { documentId: id, persistedQuery: { version: 1, sha256Hash: id } };
        const response = await createEndpoint({ trustedDocuments: { documents, only: true } }).send(
          post({ [name]: id, extensions, variables }),
        );

        assert.deepEqual(json(response), greeting);
      });

      it(`are refused with 422 if ${name} is no string, or disagrees with another name`, async () => {
        for (const [parameters, expected] of [
          [{ [name]: 5 }, `Expected "${name}" to be a string, got 5.`],
          [{ documentId: id, id, doc_id: id, [name]: 'other' }, 'Expected the document id and'],
        ] as const) {
          const endpoint = createEndpoint({ trustedDocuments: { documents } });
          const response = await endpoint.send(post({ ...parameters, variables }));

          assert.equal(response.status, 422);
          assert.ok(json(response).errors[0].message.startsWith(expected), json(response).errors[0].message);
          assert.deepEqual(endpoint.runs, []);
        }
      });

      for (const extensions of [{ documentId: 'other' }, { persistedQuery: { version: 1, sha256Hash: 'other' } }]) {
        it(`are refused with 422 if ${name} disagrees with ${JSON.stringify(extensions)}`, async () => {
          const endpoint = createEndpoint({ trustedDocuments: { documents } });
          const response = await endpoint.send(post({ [name]: id, extensions, variables }));

          assert.equal(response.status, 422);
          assert.match(
            json(response).errors[0].message,
            /^Expected the document id and "extensions\..*" to be the same, got ".*" and "other"\.$/,
          );
          assert.deepEqual(endpoint.runs, []);
        });
      }

      it(`run by ${name} in a GET`, async () => {
        const response = await createEndpoint({ trustedDocuments: { documents, only: true } }).send(
          get({ [name]: id, variables: JSON.stringify(variables) }),
        );

        assert.deepEqual(json(response), greeting);
      });
    }

    it('run by the hash of a persisted-query link', async () => {
      const extensions = { persistedQuery: { version: 1, sha256Hash: id } };

      const response = await createEndpoint({ trustedDocuments: { documents, only: true } }).send(post({ extensions, variables }));

      assert.deepEqual(json(response), greeting);
    });

    it('run in a batch', async () => {
      const response = await createEndpoint({ trustedDocuments: { documents, only: true } }).send(
        post([{ id, variables }, { query: '{ hello }' }]),
      );

      const [first, second] = json(response);
      assert.deepEqual(first, greeting);
      assert.equal(second.errors[0].extensions.code, 'BAD_REQUEST');
    });
  });
}

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

  it('the text of a trusted document has its onError, and is refused beside the hash of another text', async () => {
    const documents = { one: { text: '{ explode hello }', onError: 'NULL' as const } };
    const resolvers = { Query: { hello: () => 'Hello', explode: () => Promise.reject(new Error('failed')) } };
    const typeDefs = 'type Query { hello: String explode: String! }';
    for (const only of [true, false]) {
      const endpoint = createEndpoint({ typeDefs, resolvers, trustedDocuments: { documents, only } });
      const extensions = { persistedQuery: { version: 1, sha256Hash: createHash('sha256').update('{ hello }').digest('hex') } };

      const sent = await endpoint.send(post({ query: documents.one.text }));
      const mixed = await endpoint.send(post({ query: documents.one.text, extensions }));

      assert.deepEqual(json(sent).data, { explode: null, hello: 'Hello' });
      assert.equal(mixed.status, 400);
    }
  });

  it('the exact text of a trusted document runs', async () => {
    const response = await createEndpoint({ trustedDocuments: { documents, only: true } }).send(post({ query: text, variables }));

    assert.deepEqual(json(response), greeting);
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

  it('an id may have its algorithm as a prefix', async () => {
    const response = await createEndpoint({ trustedDocuments: { documents, only: true } }).send(
      post({ documentId: `sha256:${id}`, variables }),
    );

    assert.deepEqual(json(response), greeting);
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

  it('other documents run', async () => {
    const response = await createEndpoint({ trustedDocuments: { documents } }).send(post({ query: '{ hello }' }));

    assert.equal(response.status, 200);
  });

  it('an unknown id is 400', async () => {
    const response = await createEndpoint({ trustedDocuments: { documents } }).send(post({ id: 'unknown' }));

    assert.equal(response.status, 400);
    assert.match(json(response).errors[0].message, /got the id "unknown"\.$/);
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

describe('a manifest in no known format', () => {
  for (const documents of [
    null,
    [[]],
    [{ a: '{ a }' }, 'query'],
    'query',
    { a: 1 },
    { operations: [{ id: 1, body: '{ a }' }] },
    { format: 'apollo-persisted-query-manifest', operations: [{}] },
  ]) {
    it(`${JSON.stringify(documents)} throws at once`, () => {
      assert.throws(
        () => createEndpoint({ trustedDocuments: { documents: documents as never } }),
        /Expected trustedDocuments\.documents(?:\[\d\])? to be an Apollo operation manifest/,
      );
    });
  }
});

test('the message about a manifest names the wrong id', () => {
  const messageFor = (documents: object): string => {
    try {
      createEndpoint({ trustedDocuments: { documents: documents as never } });
    } catch (error) {
      return (error as Error).message;
    }
    return 'no error';
  };

  assert.match(messageFor({ operations: [{ id: 7, body: '{ a }' }] }), /, got an operation with the id 7\.$/);
  assert.match(
    messageFor([{ one: '{ a }' }, { two: { text: 5 } }]),
    /^Expected trustedDocuments\.documents\[1\] to be .*, got something else for the id "two"\.$/,
  );
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

for (const element of [null, 5, 'text', []]) {
  it(`a batch element that is ${JSON.stringify(element)} is also refused with document ids, and the other element is answered`, async () => {
    const documents = { [id]: text };

    const response = await createEndpoint({ trustedDocuments: { documents, only: true } }).send(post([element, { id, variables }]));

    const [first, second] = json(response);
    assert.equal(response.status, 200);
    assert.equal(first.errors[0].extensions.code, 'BAD_REQUEST');
    assert.deepEqual(second, greeting);
  });
}
