import { idempotency } from '../../../../src/entries/idempotency.ts';
import type { ExecutionOptions, ServerPlugin } from '../../../../src/entries/index.ts';
import { activity } from './clock.ts';
import { edgeOf, productsOf } from './shop.ts';
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

/**
 * Mistakes of an application, of a store, and of former versions of the library, by what they are. `seed`: of the first history that finds it. After
 * a change of the simulator, the tests print the new ones.
 */
export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'a store forgets claims': {
    seed: 1,
    world: (world) => {
      const { keys } = world;
      world.keys = { ...keys, claim: async (id, claim) => (await keys.claim(id, claim), { state: 'claimed' }) };
    },
  },
  'keys belong to no user': {
    seed: 1,
    plugins: (plugins, { world }) => {
      plugins['idempotency'] = idempotency({ store: world.idempotencyStore(), identity: () => 'everyone' });
    },
  },
  'a commit fails after the answer has been stored': {
    seed: 4,
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
    seed: 10,
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
    seed: 10,
    world: (world) => {
      const { purge } = world;
      world.purge = (tags) => {
        const [first] = tags.flatMap((tag) => /^[etl]:(Even|Odd)\b/.exec(tag)?.[1] ?? []);
        return purge(tags.filter((tag) => (/^[etl]:(Even|Odd)\b/.exec(tag)?.[1] ?? first) === first));
      };
    },
  },
  'answers outlive the stored responses that they are made of': {
    seed: 37,
    plugins: (plugins) => {
      plugins['edge'] = withHooks(plugins['edge']!, () => ({ sourceCall: () => undefined }));
    },
  },
  'a mutation that fails purges nothing': {
    seed: 10,
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
    seed: 75,
    plugins: (plugins, { world, deploy }) => {
      plugins['edge'] = edgeOf({ world, deploy }, { defaultMaxAge: 60 });
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
    seed: 40,
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
    seed: 42,
    options: (options) => {
      const { context } = options;
      let user: string | null;
      options['context'] = (given: any) => ((user = given.request.headers.get('authorization')), { ...context(given), user: () => user });
    },
  },
  'the deadline is off': {
    seed: 5,
    options: (options) => {
      options['deadline'] = false;
    },
  },
  'a plugin leaves a promise unawaited': {
    seed: 3,
    plugins: (plugins, { world }) => {
      plugins['logging'] = {
        requestDidStart: () => void world.call('log', { fails: 'store fails', isSlow: 'store is slow', serve: () => true }),
      };
    },
  },
  'a plugin polls for ever': {
    seed: 1,
    plugins: (plugins) => {
      const poll = (): void => void setTimeout(poll, 5_000);
      plugins['polling'] = { serverWillStart: async () => poll() };
    },
  },
  'a plugin that removes data says that it only watches': {
    seed: 9,
    plugins: (plugins) => {
      plugins['redacting'] = { ...plugins['redacting'], onlyWatches: true };
    },
  },
  'the name of the deploy is not set': {
    seed: 69,
    plugins: (plugins, { world }) => {
      plugins['edge'] = edgeOf({ world, deploy: 'same' });
    },
  },
  'a store of answers loses the ends of keys': {
    seed: 3,
    plugins: (plugins, { world, deploy }) => {
      const store = world.answerStore();
      const short = (key: string): string => (key.includes('tag:') || key.includes('moment') ? key : key.slice(0, 6));
      const [get, set, remove] = [store.get, store.set, store.delete].map(
        (call) => (key: string, value: string) => call(short(key), value),
      );
      plugins['edge'] = edgeOf({ world, deploy }, { store: { get, set, delete: remove } as typeof store, purge: undefined });
    },
  },
  'a store of points refuses nobody': {
    seed: 24,
    world: (world) => {
      const { points } = world;
      world.points = { take: async (id, take) => ({ ...(await points.take(id, { ...take, cost: 1 })), isTaken: true }) };
    },
  },
};
