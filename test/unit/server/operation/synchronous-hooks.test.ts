/** Functions that must be synchronous refuse promises, in words that name them, and no rejection ends the process. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { edge } from '../../../../src/entries/edge.ts';
import { createHandler } from '../../../../src/entries/fetch.ts';
import { idempotency, memoryStore } from '../../../../src/entries/idempotency.ts';
import type { ServerOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { inlineTraces, subgraph } from '../../../../src/entries/subgraph.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';

// Any: a function that is written as asynchronous has the wrong type.
type Asynchronous = () => any;

const typeDefs = 'type Query { ok: Boolean fails: Int } type Mutation { fails: Int }';
const fails = (): never => {
  throw new Error('It fails.');
};
const observing = (observer: object): ServerPlugin => ({ execution: (_execution, next) => next({ observer }) });

const places: Readonly<Record<string, (given: Asynchronous) => Partial<ServerOptions>>> = {
  'schemaWillBuild of a plugin': (given) => ({ plugins: [{ schemaWillBuild: given }] }),
  'pageDefaults of a plugin': (given) => ({ plugins: [{ pageDefaults: given }] }),
  'info of an observer': (given) => ({ plugins: [observing({ info: given })] }),
  'info of an observer beside another': (given) => ({ plugins: [observing({ info: given }), observing({ info() {} })] }),
  rootValue: (given) => ({ rootValue: given }),
  'releaseIf of idempotency': (given) => ({ plugins: [idempotency({ store: memoryStore(), identity: () => 'a', releaseIf: given })] }),
  'onDecision of edge': (given) => ({ plugins: [edge({ cdn: 'varnish', onDecision: given })] }),
  'transform of inlineTraces': (given) =>
    subgraph({ typeDefs, resolvers, traces: inlineTraces({ includeErrors: { transform: given } }) }) as Partial<ServerOptions>,
  'routerSecret.secrets': (given) => subgraph({ typeDefs, routerSecret: { secrets: given } }) as Partial<ServerOptions>,
};
const resolvers = {
  Query: { ok: (_parent: unknown, _args: unknown, _context: unknown, info: object) => 'fieldName' in info, fails },
  Mutation: { fails },
};

/** The log, the answers and what was thrown for a query and a mutation. */
async function told(options: (given: Asynchronous) => Partial<ServerOptions>, given: Asynchronous): Promise<string> {
  const [logger, lines] = recordingLogger();
  const texts: string[] = [];
  const unhandled = await unhandledRejections(async () => {
    try {
      const handler = createHandler({ typeDefs, resolvers, logger, nodeEnv: 'test', ...options(given) } as ServerOptions);
      for (const query of ['{ ok fails }', 'mutation { fails }']) {
        const headers = { 'content-type': 'application/json', 'apollo-federation-include-trace': 'ftv1', 'idempotency-key': '"a"' };
        const request = new Request('https://api.example/', { method: 'POST', headers, body: JSON.stringify({ query }) });
        texts.push(await (await handler.fetch(request)).text());
      }
    } catch (error) {
      texts.push(String(error));
    }
  });
  assert.equal(unhandled, 0);
  return [...texts, ...lines.flatMap(({ message, details }) => [message, ...details.map(String)])].join('\n');
}

describe('a function that must be synchronous refuses a promise', () => {
  for (const [place, options] of Object.entries(places))
    for (const [what, given] of Object.entries<Asynchronous>({
      'that resolves': async () => undefined,
      'that rejects': () => Promise.reject(new Error('late')),
    }))
      test(`${place}, ${what}`, async () => {
        const [name] = place.split(' beside');
        assert.ok((await told(options, given)).includes(`Expected ${name} to be synchronous, but it returned a promise.`));
      });
});
