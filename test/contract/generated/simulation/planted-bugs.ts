import { edge } from '../../../../src/entries/edge.ts';
import { idempotency } from '../../../../src/entries/idempotency.ts';
import type { ExecutionOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { activity } from './clock.ts';
import { productsOf } from './shop.ts';
import type { PlantedBug } from './shop.ts';
import type { World } from './world.ts';

/** The user of the request that runs, found behind the back of the server. */
const userOfActivity = (world: World): string | null => world.users.get(activity()!.request) ?? null;

/** The hooks of a plugin with some replaced. */
function withHooks(plugin: ServerPlugin, replaced: (plugin: Record<string, any>) => ServerPlugin): ServerPlugin {
  const hooks: Record<string, any> = {};
  for (let from: object | null = plugin; from !== null && from !== Object.prototype; from = Reflect.getPrototypeOf(from))
    for (const name of Object.getOwnPropertyNames(from)) {
      const value: unknown = Reflect.get(from, name, plugin);
      if (name !== 'constructor' && value !== undefined) hooks[name] ??= typeof value === 'function' ? value.bind(plugin) : value;
    }
  return { ...hooks, ...replaced(hooks) };
}

/** Mistakes of an application, of a store, and of former versions of the library, by what they are. */
export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'a store forgets claims': {
    world: (world) => {
      const { keys } = world;
      world.keys = { ...keys, claim: async (id, claim) => (await keys.claim(id, claim), { state: 'claimed' }) };
    },
  },
  'keys belong to no user': {
    plugins: (plugins, { world }) => {
      plugins['idempotency'] = idempotency({ store: world.idempotencyStore(), identity: () => 'everyone' });
    },
  },
  'a commit fails after the answer has been stored': {
    plugins: (plugins, { world }) => {
      plugins['committing'] = {
        position: 'first',
        async operation(_call, next) {
          const outcome = await next();
          const hasRun = [...world.payers.values()].includes(activity()!.request);
          if (hasRun && world.dice('commit').chance(0.5)) throw new Error('The commit has failed.');
          return outcome;
        },
      };
    },
  },
  'purges are not repeated': {
    world: (world) => {
      const { purge } = world;
      const purged = new Set<string>();
      world.purge = async (tags) => {
        const first = `${activity()!.request} ${tags.join(' ')}`;
        if (!purged.has(first)) await (purged.add(first), purge(tags));
      };
    },
  },
  'purges name one of the types that a product may have': {
    world: (world) => {
      const { purge } = world;
      world.purge = (tags) => {
        const [first] = tags.flatMap((tag) => /^[etl]:(Even|Odd)\b/.exec(tag)?.[1] ?? []);
        return purge(tags.filter((tag) => (/^[etl]:(Even|Odd)\b/.exec(tag)?.[1] ?? first) === first));
      };
    },
  },
  'answers outlive the stored responses that they are made of': {
    plugins: (plugins) => {
      plugins['edge'] = withHooks(plugins['edge']!, () => ({ sourceCall: () => undefined }));
    },
  },
  'a mutation that fails purges nothing': {
    plugins: (plugins) => {
      plugins['edge'] = withHooks(plugins['edge']!, ({ execution }) => ({
        execution: (call, next) =>
          execution(call, async (options?: ExecutionOptions) => {
            const outcome = await next(options);
            const fails = outcome.operation?.operation === 'mutation' && outcome.result.errors !== undefined;
            return fails ? { ...outcome, executed: false } : outcome;
          }),
      }));
    },
  },
  'code finds the user behind the back of the server': {
    plugins: (plugins, { world, deploy }) => {
      const { cdn, hasStore } = world.setting;
      plugins['edge'] = edge({ cdn, deploy, defaultMaxAge: 60, ignoredHeaders: ['x-request'], ...(hasStore && { store: world.answerStore() }), ...(cdn && { purge: (tags) => world.purge(tags) }) }); // prettier-ignore
    },
    options: (options, { world }) => {
      const { context } = options;
      options['context'] = (given: object) => ({ ...context(given), user: () => userOfActivity(world) });
      options['dataSources'] = () => ({
        api: Object.assign(productsOf(world), { me: async (user: string) => ({ id: user, secret: `secret-${user}` }) }),
      });
    },
  },
  'a data source whose httpFetch adds credentials declares that it adds none': {
    options: (options, { world }) => {
      const httpFetch = ({ url, method, signal }: Request): Promise<Response> =>
        world.fetch(url, { method, signal, headers: { authorization: userOfActivity(world)! } });
      options['dataSources'] = () => {
        const api = productsOf(world, httpFetch);
        return { api: Object.assign(api, { cacheIdentity: '', me: () => api.anybody() }) };
      };
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
  'the name of the deploy is not set': {
    plugins: (plugins, { world }) => {
      const { cdn, hasStore } = world.setting;
      plugins['edge'] = edge({ cdn, deploy: 'same', ignoredHeaders: ['x-request'], ...(hasStore && { store: world.answerStore() }), ...(cdn && { purge: (tags) => world.purge(tags) }) }); // prettier-ignore
    },
  },
  'a store of answers loses the ends of keys': {
    plugins: (plugins, { world, deploy }) => {
      const store = world.answerStore();
      const short = (key: string): string => (key.includes('tag:') || key.includes('moment') ? key : key.slice(0, 6));
      plugins['edge'] = edge({ cdn: world.setting.cdn, deploy, ignoredHeaders: ['x-request'], store: { get: (key) => store.get(short(key)), set: (key, value) => store.set(short(key), value), delete: (key) => store.delete(short(key)) } }); // prettier-ignore
    },
  },
  'a store of points refuses nobody': {
    world: (world) => {
      const { points } = world;
      world.points = { take: async (id, take) => ({ ...(await points.take(id, { ...take, cost: 1 })), isTaken: true }) };
    },
  },
};

/** The first history that finds each bug, by its seed: as many histories as it takes. After a change of the simulator, the tests print the new numbers. */
export const foundIn: Readonly<Record<string, number>> = {
  'a store forgets claims': 1,
  'keys belong to no user': 1,
  'a commit fails after the answer has been stored': 4,
  'purges are not repeated': 10,
  'purges name one of the types that a product may have': 10,
  'answers outlive the stored responses that they are made of': 37,
  'a mutation that fails purges nothing': 10,
  'code finds the user behind the back of the server': 75,
  'a data source whose httpFetch adds credentials declares that it adds none': 40,
  'requests share a context': 42,
  'the deadline is off': 5,
  'a plugin leaves a promise unawaited': 3,
  'a plugin polls for ever': 1,
  'a plugin that removes data says that it only watches': 9,
  'the name of the deploy is not set': 69,
  'a store of answers loses the ends of keys': 3,
  'a store of points refuses nobody': 24,
};
