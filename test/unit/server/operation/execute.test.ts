import { deepEqual, equal, match } from 'node:assert/strict';
import { tracingChannel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';

import { GraphQLError } from 'graphql';
import type { ValidationContext } from 'graphql';

import { createEndpoint } from '../../../support/endpoint.ts';
import { post } from '../../../support/plain-http.ts';

describe('an operation', () => {
  it('must pass the rules of the user, also if its document passes the fast check', async () => {
    const noHello = (context: ValidationContext) => ({
      Field(node: { name: { value: string } }) {
        if (node.name.value === 'hello') context.reportError(new GraphQLError('Say something else.'));
      },
    });

    const answer = await createEndpoint({ validationRules: [noHello as never] }).send(post({ query: '{ hello }' }));

    equal(answer.status, 422);
    equal(JSON.parse(answer.body).errors[0].message, 'Say something else.');
  });

  it('publishes to the tracing channels of graphql-js, with both majors: one parse event is for the document, any others are for schema text', async () => {
    const heard: string[] = [];
    const parsed: unknown[] = [];
    const query = '{ hello }';
    const names = ['graphql:parse', 'graphql:validate', 'graphql:execute', 'graphql:resolve'];
    const listeners = names.map((name) => {
      const listener = (event: unknown): void => {
        const { source = query } = event as { source?: string };
        if (source === query) heard.push(name);
        else parsed.push(source);
      };
      return [tracingChannel(name), listener] as const;
    });
    for (const [channel, listener] of listeners) channel.start.subscribe(listener);
    try {
      await createEndpoint().send(post({ query }));
    } finally {
      for (const [channel, listener] of listeners) channel.start.unsubscribe(listener);
    }

    deepEqual(heard, names);
    for (const text of parsed) match(text as string, /^(?:type|scalar|input|enum|directive)\b/);
  });
});

describe('the option rootValue', () => {
  const written = Symbol('what somebody keeps by the parent of the root fields');
  const keeps = (root: object): boolean => {
    const kept = written in root;
    Object.assign(root, { [written]: true });
    return kept;
  };
  const settings = { typeDefs: 'type Query { hello: String kept: Boolean }', context: () => ({}), resolvers: { Query: { kept: keeps } } };

  for (const [name, rootValue] of [
    ['a plain object', { hello: 'Hello!' }],
    ['the same plain object from a function', () => shared],
  ] as const) {
    it(`is copied for each operation: ${name}`, async () => {
      const endpoint = createEndpoint({ ...settings, rootValue });

      for (let count = 0; count < 2; count++) deepEqual((await endpoint.send(post({ query: '{ kept hello }' }))).body, answered);
    });
  }

  it('is not copied if it is an instance of a class, whose private members must work', async () => {
    class Root {
      readonly #greeting = 'Hello!';
      hello(): string {
        return this.#greeting;
      }
    }
    const endpoint = createEndpoint({ ...settings, rootValue: new Root() });

    deepEqual((await endpoint.send(post({ query: '{ hello }' }))).body, '{"data":{"hello":"Hello!"}}');
  });

  const shared = { hello: 'Hello!' };
  const answered = '{"data":{"kept":false,"hello":"Hello!"}}';
});
