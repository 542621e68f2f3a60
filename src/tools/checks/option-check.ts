import type { GraphQLSchema } from 'graphql';

import { didYouMean, isRecord } from '../../shared/index.ts';

/** Options that can be wrong although their types are correct. */
export interface OptionsToCheck {
  readonly nodeEnv?: string | undefined;
  readonly plugins?: unknown;
  readonly resolvers?: unknown;
  readonly rootValue?: unknown;
  readonly fieldResolver?: unknown;
}

/** A mistake in an option. `path` is the option's name and the keys in it. */
export interface OptionProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Finds mistakes that do not keep a server from starting: fields that nothing resolves, resolvers
 * that are never called. For development and `graphql-functions check`; never in a bundle.
 */
export function findOptionProblems(options: OptionsToCheck, schema: GraphQLSchema): OptionProblem[] {
  return [
    ...wrongRoot(options),
    ...wrongNodeEnv(options),
    ...repeatedResolvers(options),
    ...unresolvedRootFields(options, schema),
    ...misnamedHooks(options),
  ];
}

const environments: readonly string[] = ['development', 'production', 'test'];

function wrongNodeEnv({ nodeEnv }: OptionsToCheck): OptionProblem[] {
  const message = nodeEnv === undefined ? undefined : nodeEnvProblem(nodeEnv);
  return message === undefined ? [] : [{ path: ['nodeEnv'], message: `The option nodeEnv is ${message}` }];
}

/** Reports a misspelled value of NODE_ENV. Undefined for other custom names, such as "staging". */
export function nodeEnvProblem(nodeEnv: string): string | undefined {
  const name = nodeEnv.trim().toLowerCase();
  const meant = environments.find((one) => name !== '' && (one.startsWith(name) || didYouMean(name, [one]) !== ''));
  if (meant === undefined || meant === nodeEnv) return undefined;
  return `"${nodeEnv}", which is treated as production. Did you mean "${meant}"?`;
}

function wrongRoot({ rootValue }: OptionsToCheck): OptionProblem[] {
  const message = 'The option rootValue is a promise, which has no fields. Await it first.';
  return rootValue instanceof Promise ? [{ path: ['rootValue'], message }] : [];
}

function repeatedResolvers({ resolvers }: OptionsToCheck): OptionProblem[] {
  const known = new Map<string, unknown>();
  const given = mapsOf(resolvers).flatMap((map) =>
    Object.entries(map).flatMap(([type, fields]) =>
      Object.entries(isRecord(fields) ? fields : {}).map((entry) => [type, ...entry] as const),
    ),
  );
  return given.flatMap(([type, field, resolver]) => {
    const name = `${type}.${field}`;
    const earlier = known.get(name);
    known.set(name, resolver);
    if (earlier === resolver || typeof earlier !== 'function' || typeof resolver !== 'function') return [];
    const message = `This resolver of ${name} is never called, because a later map has one, too. Remove one of them.`;
    return { path: ['resolvers', type, field], message };
  });
}

/**
 * Finds root fields that cannot answer: fields of Subscription without events, and non-null fields of Query and Mutation without a
 * resolver.
 */
function unresolvedRootFields({ rootValue, fieldResolver }: OptionsToCheck, schema: GraphQLSchema): OptionProblem[] {
  // These may provide the values and the events of all root fields.
  if (rootValue !== undefined || fieldResolver !== undefined) return [];
  const subscription = schema.getSubscriptionType() ?? undefined;
  return [schema.getQueryType(), schema.getMutationType(), subscription].flatMap((root) =>
    Object.values(root?.getFields() ?? {}).flatMap(({ name, type, resolve, subscribe }) => {
      const found = resolve ? 'has a resolver without subscribe' : 'has no resolver';
      const message =
        root === subscription
          ? `${found}, so it emits no events. Write ${root!.name}: { ${name}: { subscribe: async function* () { … } } }.`
          : `has the non-null type ${String(type)} but no resolver, so every operation that selects it fails. Write ${root!.name}: { ${name}: () => … }.`;
      // Compares the text, because a schema built in code may have the classes of another copy of graphql.
      const isResolved = root === subscription ? subscribe : resolve || !String(type).endsWith('!');
      return isResolved ? [] : { path: ['resolvers', root!.name, name], message: `${root!.name}.${name} ${message}` };
    }),
  );
}

function misnamedHooks({ plugins }: OptionsToCheck): OptionProblem[] {
  const found = [plugins].flat().flatMap((plugin) => misnamedMembers(plugin, 'a plugin', 'plugin'));
  return [...new Set(found)].map((message) => ({ path: ['plugins'], message }));
}

/** The hooks that are called, by whose they are. */
const hooks = {
  plugin:
    'admit check contextCreationDidFail document doors encode execution invalidRequestWasReceived operation pageDefaults payload request requestDidStart ' +
    'schemaWillBuild serverWillStart sourceCall start startupDidFail',
  requestDidStart:
    'didResolveSource parsingDidStart validationDidStart didResolveOperation responseForOperation executionDidStart didEncounterErrors ' +
    'willSendResponse didEncounterSubsequentErrors willSendSubsequentPayload',
  serverWillStart: 'drainServer serverWillStop renderLandingPage',
  start: 'page stop',
  dataSource:
    'initialize willSendRequest resolveURL cacheKeyFor cacheOptionsFor didReceiveResponse didEncounterError parseBody errorFromResponse',
};

/** Sentences about methods that are never called, because their name is misspelled or belongs elsewhere. */
export function misnamedMembers(given: unknown, owner: string, kind: 'plugin' | 'dataSource'): string[] {
  const known = hooks[kind].split(' ');
  return [...methodsOf(given)].flatMap(([name, method]) => {
    if (known.includes(name)) return kind === 'plugin' ? misnamedInside(name, method, owner) : [];
    const home = Object.entries(hooks).find(([, names]) => kind === 'plugin' && names.split(' ').includes(name))?.[0];
    if (home !== undefined) return `${name} of ${owner} is never called: it belongs in the object that ${home} returns.`;
    // A short name that is near to a hook's may be a method of the user.
    const hint = didYouMean(name, known, Math.floor((name.length - 5) / 4));
    return hint === '' ? [] : `${name} of ${owner} is never called.${hint}`;
  });
}

/** Looks for the hooks that a hook returns in its text, because it is not called before there is a request. */
function misnamedInside(name: string, method: unknown, owner: string): string[] {
  const returned = Object.hasOwn(hooks, name) ? hooks[name as keyof typeof hooks].split(' ') : [];
  const words = returned.length === 0 ? [] : (String(method).match(/\b\w{8,}(?=\s*[(:])/g) ?? []);
  return words.flatMap((word) => {
    const hint = returned.includes(word) ? '' : didYouMean(word, returned, 2);
    return hint === '' ? [] : `${word} of ${owner} is never called.${hint}`;
  });
}

/** The methods of an object and its classes, by their names. Getters are not called. */
function methodsOf(given: unknown): Map<string, unknown> {
  const methods = new Map<string, unknown>();
  for (let at = given; typeof at === 'object' && at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if (typeof value === 'function' && !methods.has(name)) methods.set(name, value);
  return methods;
}

function mapsOf(resolvers: unknown): readonly Readonly<Record<string, unknown>>[] {
  return [resolvers].flat(Number.POSITIVE_INFINITY).filter(isRecord);
}
