import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';

import { DataSource } from '../../../../src/entries/index.ts';
import type { ServerOptions } from '../../../../src/server/startup/options.ts';
import { createEndpoint } from '../../../support/endpoint.ts';
import { json, post } from '../../../support/plain-http.ts';
import type { LogLine } from '../../../support/recording-logger.ts';
import { unhandledRejections } from '../../../support/unhandled-rejections.ts';

interface Served {
  readonly ask: (body: unknown) => Promise<any>;
  readonly lines: readonly LogLine[];
}

/** `login` stores the user on the context, `me` reads it. */
function serve(options: Partial<ServerOptions<any, any>>): Served {
  const { send, lines } = createEndpoint({
    typeDefs: 'type Query { login(name: String!): String me: String keys: [String!]! }',
    resolvers: {
      Query: {
        login: (_parent: unknown, { name }: { name: string }, context: any) => (context.user = name),
        me: (_parent: unknown, _arguments: unknown, context: any) => context.user,
        keys: (_parent: unknown, _arguments: unknown, context: object) => Reflect.ownKeys(context).map(String),
      },
    },
    ...options,
  } as ServerOptions);
  return { lines, ask: async (body) => json(await send(post(body))) };
}

const login = { query: '{ login(name: "alice") }' };
const me = { query: '{ me }' };

describe('a context that is the same object every time', () => {
  const objects: Record<string, () => object> = {
    'a plain object': () => ({ user: undefined }),
    'an object without a prototype': () => Object.create(null),
    'an object of another realm': () => runInNewContext('({ user: undefined })') as object,
    'a frozen object': () => Object.freeze({ user: undefined }),
    'an object with getters': () => ({ user: undefined, get session() { return 'dear'; } }), // prettier-ignore
    'an object with members that are not enumerable': () => Object.defineProperty({}, 'user', { value: undefined }),
  };
  for (const [name, create] of Object.entries(objects)) {
    it(`does not make the next request alice: ${name}`, async () => {
      const shared = create();
      const { ask } = serve({ context: () => shared });

      assert.deepEqual(await ask(login), { data: { login: 'alice' } });
      assert.deepEqual(await ask(me), { data: { me: null } });
    });

    it(`does not make the next element of a batch alice, even as a promise: ${name}`, async () => {
      const shared = create();
      const { ask } = serve({ context: async () => shared });

      assert.deepEqual(await ask([login, me, me]), [{ data: { login: 'alice' } }, { data: { me: null } }, { data: { me: null } }]);
    });
  }

  it('gets data sources for every operation', async () => {
    const shared = { user: 'bob' };
    const { ask } = serve({ context: () => shared, dataSources: () => ({ books: {} }) });

    await ask(me);

    assert.deepEqual(await ask(me), { data: { me: 'bob' } });
    assert.deepEqual(Object.keys(shared), ['user']);
  });
});

it('the copy of a plain context has symbols, non-enumerable members, and getters that have not been called', async () => {
  let asked = 0;
  const context = Object.defineProperty({ [Symbol('request')]: 1, get session() { return ++asked; } }, 'hidden', { value: 1 }); // prettier-ignore
  const { ask } = serve({ context: () => context });

  assert.deepEqual((await ask({ query: '{ keys }' })).data.keys.toSorted(), ['Symbol(request)', 'hidden', 'session']);
  assert.equal(asked, 0);
});

it('the copies of what one function returns have the members of each object, however similar it is to the last one', async () => {
  const objects = [
    { user: 'a', role: 'x' },
    { user: 'b', role: 'y' },
    Object.assign(Object.create(null) as object, { user: 'c', role: 'z' }),
    { user: 'd', role: 'x', more: 1, [Symbol('s')]: 1 },
    { role: 'x', user: 'e' },
    Object.defineProperty({ user: 'f' }, 'hidden', { value: 1 }),
  ];
  const returned = [...objects];
  const { ask } = serve({ context: () => returned.shift()! });

  for (const object of objects)
    assert.deepEqual((await ask({ query: '{ me keys }' })).data, {
      me: (object as { user: string }).user,
      keys: Reflect.ownKeys(object).map(String),
    });
});

it('a context function that returns no object is an error that shows what to return', async () => {
  for (const returned of [undefined, null, 5]) {
    const { ask, lines } = serve({ context: () => returned as never, nodeEnv: 'development' });
    assert.match((await ask(me)).errors[0].message, /^Expected context\(\) to return an object, for example { user }, got /);
    assert.equal(lines.filter(({ level }) => level === 'error').length, 1);
  }
});

describe('a context that is an instance of a class', () => {
  class Session {
    #user = 'bob';
    get user(): string {
      return this.#user;
    }
    set user(name: string) {
      this.#user = name;
    }
  }

  it('is not copied, so that its private members work', async () => {
    const { ask, lines } = serve({ context: () => new Session(), nodeEnv: 'development' });

    assert.deepEqual(await ask([me, login, me]), [{ data: { me: 'bob' } }, { data: { login: 'alice' } }, { data: { me: 'bob' } }]);
    assert.deepEqual(lines, []);
  });

  it('is logged in development, once, when the same one is returned twice', async () => {
    const shared = new Session();
    const { ask, lines } = serve({ context: () => shared, nodeEnv: 'development' });

    for (let request = 0; request < 4; request++) await ask(me);

    const levels = lines.map(({ level }) => level);
    assert.deepEqual(levels, ['warn']);
    assert.match(lines[0]!.message, /^context\(\) returned the same Session for two operations\./);
  });
});

it('data sources may be an instance of a class, and get a function that warns in development', async () => {
  const given: unknown[] = [];
  class Sources {
    readonly probe = { initialize: (config: { warn?: unknown }) => void given.push(typeof config.warn) };
  }
  for (const nodeEnv of ['development', 'production'])
    await serve({ nodeEnv, context: () => ({ user: 'bob' }), dataSources: (() => new Sources()) as never }).ask(me);

  assert.deepEqual(given, ['function', 'undefined']);
});

describe('an object of data sources that is filled again for each operation', () => {
  it('has the data sources of the operation, even when the next operation has started', async () => {
    class Session extends DataSource<{ user: string }> {
      who = (): string => this.context.user;
    }
    const filledIn: { session?: Session } = {};
    const { ask } = serve({
      context: (async ({ request }: { request: { body: { text: string } } }) => ({
        user: request.body.text.includes('alice') ? 'alice' : 'bob',
      })) as never,
      dataSources: (() => Object.assign(filledIn, { session: new Session() })) as never,
      resolvers: {
        Query: {
          me: async (_parent: unknown, _arguments: unknown, { dataSources }: any) => {
            await new Promise(setImmediate);
            return dataSources.session.who();
          },
        },
      },
    });

    const answers = await Promise.all(['alice', 'bob'].map((user) => ask({ query: `{ me } # ${user}` })));

    assert.deepEqual(answers, [{ data: { me: 'alice' } }, { data: { me: 'bob' } }]);
  });
});

it('an asynchronous dataSources function that rejects is answered with 500, and leaves no rejection behind', async () => {
  const { ask, lines } = serve({ dataSources: (() => Promise.reject(new Error('no session'))) as never });

  const unhandled = await unhandledRejections(async () => {
    assert.equal((await ask({ query: '{ me }' })).errors[0].extensions.code, 'INTERNAL_SERVER_ERROR');
  });

  assert.match(lines.map(({ details }) => String(details[0])).join(), /Expected dataSources\(\) to return an object/);
  assert.equal(unhandled, 0);
});
