import type { GraphQLSchema } from 'graphql';

import { didYouMean, isRecord } from '../../shared/index.ts';

/** Options that can be wrong although their types are correct. */
export interface OptionsToCheck {
  readonly nodeEnv?: string | undefined;
  readonly resolvers?: unknown;
  readonly rootValue?: unknown;
}

/** A mistake in an option. `path` is the option's name and the keys in it. */
export interface OptionProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Finds mistakes that do not keep a server from starting: names that the schema does not have, events that no
 * subscription reads. For development and `graphql-functions check`; never in a bundle.
 */
export function findOptionProblems(options: OptionsToCheck, schema: GraphQLSchema): OptionProblem[] {
  return [...wrongNodeEnv(options), ...repeatedResolvers(options), ...wrongSubscriptions(options, schema)];
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

function wrongSubscriptions({ resolvers, rootValue }: OptionsToCheck, schema: GraphQLSchema): OptionProblem[] {
  const maps = mapsOf(resolvers);
  const subscription = schema.getSubscriptionType() ?? undefined;
  // Without a resolver, graphql-js reads the events from rootValue.
  if (subscription === undefined || rootValue !== undefined) return [];
  const { name } = subscription;
  return Object.values(subscription.getFields()).flatMap((field) => withoutEvents(name, field, maps));
}

function mapsOf(resolvers: unknown): Maps {
  return [resolvers].flat(Number.POSITIVE_INFINITY).filter(isRecord);
}

type Maps = readonly Readonly<Record<string, unknown>>[];

interface SubscriptionField {
  readonly name: string;
  /** Whether the field has a `subscribe`, in a schema built in code. */
  readonly subscribe?: unknown;
}

function withoutEvents(type: string, { name, subscribe }: SubscriptionField, maps: Maps): OptionProblem[] {
  const given = maps.map((map) => (isRecord(map[type]) ? map[type][name] : undefined)).filter((one) => one !== undefined);
  if (typeof subscribe === 'function' || given.some(hasSubscribe)) return [];
  const found = given.length > 0 ? 'has a resolver without subscribe' : 'has no resolver';
  const message = `${type}.${name} ${found}, so it emits no events. Write ${type}: { ${name}: { subscribe: async function* () { … } } }.`;
  return [{ path: ['resolvers', type, name], message }];
}

function hasSubscribe(resolver: unknown): boolean {
  return isRecord(resolver) && typeof resolver['subscribe'] === 'function';
}
