import { edge } from '../../src/entries/edge.ts';
import { idempotency, memoryStore } from '../../src/entries/idempotency.ts';
import { activity } from './clock.ts';
import type { Context, PlantedBug } from './shop.ts';
import type { World } from './world.ts';

/** The user of the request that runs, found behind the back of the server. */
const userOfActivity = (world: World): string | null => world.users.get(activity()!.request) ?? null;

/** Mistakes of an application, of a store, and of former versions of the library, by what they are. */
export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'a store forgets claims': {
    world: (world) => {
      const { keys } = world;
      world.keys = { ...keys, claim: async (id, claim) => (await keys.claim(id, claim), { state: 'claimed' }) };
    },
  },
  'a store reads a record before it writes it': {
    world: (world) => {
      const { keys } = world;
      const read = new Set<string>();
      world.keys = {
        ...keys,
        claim: async (id, claim) => {
          if (read.has(id)) return keys.claim(id, claim);
          await world.clock.sleep(30);
          if (read.has(id)) return { state: 'claimed' };
          read.add(id);
          return keys.claim(id, claim);
        },
      };
    },
  },
  'a store returns the answer of another record': {
    world: (world) => {
      const { keys } = world;
      let last: string | undefined;
      world.keys = {
        ...keys,
        finish: (id, finish) => ((last ??= finish.answer), keys.finish(id, finish)),
        claim: async (id, claim) => {
          const found = await keys.claim(id, claim);
          return found.state === 'finished' ? { ...found, answer: last } : found;
        },
      };
    },
  },
  'keys belong to no user': {
    plugins: (plugins, { world }) => {
      plugins['idempotency'] = idempotency({ store: world.idempotencyStore(), identity: () => 'everyone' });
    },
  },
  'keys of mutations that took effect are released': {
    plugins: (plugins, { world }) => {
      plugins['idempotency'] = idempotency({
        store: world.idempotencyStore(),
        identity: ({ user }: Context) => user(),
        releaseIf: () => true,
      });
    },
  },
  'a commit fails after the answer has been stored': {
    plugins: (plugins, { world }) => {
      plugins['committing'] = {
        position: 'first',
        async aroundOperation(_call, next) {
          const outcome = await next();
          const hasRun = [...world.payers.values()].includes(activity()!.request);
          if (hasRun && world.dice('commit').chance(0.5)) throw new Error('The commit has failed.');
          return outcome;
        },
      };
    },
  },
  'each instance keeps keys for itself': {
    plugins: (plugins) => {
      plugins['idempotency'] = idempotency({ store: memoryStore({ isOnlyProcess: true }), identity: ({ user }: Context) => user() });
    },
  },
  'the purge API forgets its calls': {
    world: (world) => {
      world.purge = async () => undefined;
    },
  },
  'every answer is public': {
    plugins: (plugins) => {
      plugins['public'] = { responseWillBeSent: (_call, { headers }) => headers.set('cache-control', 'public, s-maxage=60') };
      delete plugins['edge'];
    },
  },
  'code finds the user behind the back of the server': {
    plugins: (plugins, { world, deploy }) => {
      const { cdn, hasStore } = world.setting;
      plugins['edge'] = edge({ cdn, deploy, defaultMaxAge: 60, ignoredHeaders: ['x-request'], ...(hasStore && { store: world.answerStore() }) }); // prettier-ignore
    },
    options: (options, { world }) => {
      const { context } = options;
      options['context'] = (given: object) => ({ ...context(given), user: () => userOfActivity(world) });
    },
  },
  'requests share a context': {
    options: (options) => {
      const { context } = options;
      let user: string | null;
      options['context'] = (given: any) => ((user = given.request.headers.get('authorization')), { ...context(given), user: () => user });
    },
  },
  'the deadline is off': {
    options: (options) => {
      options['deadline'] = false;
    },
  },
  'a wrapper of the handler waits for its log': {
    handler:
      (handler, { world }) =>
      async (event, context) => {
        const answer = await handler(event, context);
        await world.call('log', { fails: 'store fails', isSlow: 'store is slow', serve: () => true }).catch(() => undefined);
        return answer;
      },
  },
  'a plugin leaves a promise unawaited': {
    plugins: (plugins, { world }) => {
      plugins['logging'] = {
        requestDidStart: () => void world.call('log', { fails: 'store fails', isSlow: 'store is slow', serve: () => true }),
      };
    },
  },
  'a plugin polls for ever': {
    plugins: (plugins) => {
      const poll = (): void => void setTimeout(poll, 5_000);
      plugins['polling'] = { serverWillStart: async () => poll() };
    },
  },
  'a plugin that removes data says that it only watches': {
    plugins: (plugins) => {
      plugins['redacting'] = { ...plugins['redacting'], onlyWatches: true };
    },
  },
  'a store of answers loses the ends of keys': {
    plugins: (plugins, { world, deploy }) => {
      const store = world.answerStore();
      const short = (key: string): string => (key.includes('tag:') || key.includes('moment') ? key : key.slice(0, 6));
      plugins['edge'] = edge({ cdn: world.setting.cdn, deploy, ignoredHeaders: ['x-request'], store: { get: (key) => store.get(short(key)), set: (key, value) => store.set(short(key), value), delete: (key) => store.delete(short(key)) } }); // prettier-ignore
    },
  },
  'points are given back when an operation fails': {
    world: (world) => {
      const { points } = world;
      world.points = { take: async (id, take) => ({ ...(await points.take(id, { ...take, cost: 1 })), isTaken: true }) };
    },
  },
};
