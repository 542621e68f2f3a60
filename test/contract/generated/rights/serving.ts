import { buildSchema, isInterfaceType, isObjectType, isUnionType } from 'graphql';
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';

import { budget } from '../../../../src/entries/budget.ts';
import { idempotency, memoryStore } from '../../../../src/entries/idempotency.ts';
import { incrementalDelivery } from '../../../../src/entries/incremental.ts';
import { batch, createHandler } from '../../../../src/entries/index.ts';
import type { ServerPlugin } from '../../../../src/entries/index.ts';
import { subgraph } from '../../../../src/entries/subgraph.ts';
import type { Random } from '../../../support/random.ts';
import { objectTypes, policies } from './model.ts';
import type { Model } from './model.ts';
import type { Caller } from './reference.ts';
import { writeSchema } from './text.ts';

/** `authorization` of graphql-functions/authorization, or a plugin that takes its place. */
export type CreateRights = (options: {
  readonly claims: (given: { readonly context: any }) => unknown;
  readonly policies: Readonly<Record<string, (given: { readonly context: any }) => any>>;
}) => ServerPlugin;

/** What a request did. */
export interface Effects {
  /** The name of the operation and the place of each resolver and reference resolver, in order. */
  readonly calls: (readonly [operation: string, place: string])[];
  /** The operations that asked for claims, by their contexts. */
  readonly claimed: object[];
  readonly asked: (readonly [context: object, policy: string])[];
  points: number;
  keys: number;
}

/** One server for a random schema, and what the request that it is answering does. */
export interface Server {
  readonly handler: (event: unknown, context: object) => Promise<any>;
  readonly enter: (caller: Caller) => Effects;
  /** False: the plugin takes the place of authorization(), and MCP does not know what it needs. */
  readonly admits: boolean;
  /** For failures. */
  readonly typeDefs: string;
}

export interface Serving {
  readonly random: Random;
  readonly createRights: CreateRights;
  readonly documents: ReadonlyMap<string, string | undefined>;
  /** The plugins of doors. */
  readonly doors: readonly ServerPlugin[];
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Creates a server that knows these documents by their ids, unless they are undefined. */
export function createServer(model: Model, { random, createRights, documents, doors }: Serving): Server {
  const nodeEnv = random.pick(['test', 'production', '']);
  const { typeDefs, extensions } = writeSchema(model, random, nodeEnv !== 'production');
  let caller: Caller = { scopes: undefined, policies: new Map() };
  let effects = noEffects();
  const isLater = random.chance(0.5);
  const rights = createRights({
    claims: ({ context }) => {
      effects.claimed.push(context as object);
      return isLater ? Promise.resolve(caller.scopes) : caller.scopes;
    },
    policies: Object.fromEntries(
      policies.map((name) => [
        name,
        ({ context }: { readonly context: object }): unknown => {
          effects.asked.push([context, name]);
          const answer = caller.policies.get(name);
          if (answer instanceof Error) throw answer;
          return isLater ? Promise.resolve(answer) : answer;
        },
      ]),
    ),
  });
  const others = [...doors, ...(random.chance(0.3) ? costlyPlugins(() => effects) : [])];
  // With `admit`, the place in the list does not count.
  const plugins = 'admit' in rights && random.chance(0.5) ? [...others, rights] : [rights, ...others];
  const note = (info: GraphQLResolveInfo, place: string): void => void effects.calls.push([info.operation.name?.value ?? '', place]);
  const resolvers = createResolvers(model, random, note);
  const options = {
    nodeEnv,
    logger: silent,
    introspection: true,
    allowBatchedHttpRequests: true,
    csrfPrevention: true,
    incrementalDelivery: incrementalDelivery(),
    trustedDocuments: { documents: Object.fromEntries([...documents].filter(([, text]) => text !== undefined)) },
    context: () => ({}),
    plugins,
  };
  const isText = model.style !== 'code' && model.style !== 'both';
  const withSchema = isText ? { ...options, typeDefs, resolvers } : { ...options, schema: schemaWith(typeDefs, extensions, resolvers) };
  const handler = createHandler(
    (model.style === 'link' ? subgraph(withSchema as never) : withSchema) as never,
  ) as unknown as Server['handler'];
  return {
    handler,
    admits: 'admit' in rights,
    typeDefs,
    enter: (next) => {
      caller = next;
      effects = noEffects();
      return effects;
    },
  };
}

function noEffects(): Effects {
  return { calls: [], claimed: [], asked: [], points: 0, keys: 0 };
}

function costlyPlugins(effects: () => Effects): readonly ServerPlugin[] {
  const keys = memoryStore();
  return [
    idempotency({
      identity: () => 'client',
      store: {
        claim: (...given) => {
          effects().keys++;
          return keys.claim(...given);
        },
        finish: (...given) => keys.finish(...given),
        release: (...given) => keys.release(...given),
      },
    }),
    budget({
      identity: () => 'client',
      capacity: 1e12,
      refillPerSecond: 1e9,
      whenStoreFails: 'refuse',
      store: {
        take: (_id, { cost }) => {
          effects().points += cost;
          return Promise.resolve({ isTaken: true, untilFull: cost });
        },
      },
    }),
  ];
}

type Resolver = (parent: any, args: any, context: any, info: GraphQLResolveInfo) => unknown;

/** Resolvers of all fields, by type. Those of interfaces and unions name the types of their objects in turn. */
export function createResolvers(
  model: Model,
  random: Random,
  note: (info: GraphQLResolveInfo, place: string) => void,
): Record<string, Record<string, any>> {
  let turn = 0;
  const objectOf = (name: string): object => {
    const all = objectTypes(model.types, name);
    return { type: all[turn++ % all.length], id: '1' };
  };
  const valueOf = (target: string, wrap: string): unknown => {
    const isComposite = ['object', 'interface', 'union'].includes(model.types.get(target)?.kind ?? 'scalar');
    const one = (): unknown => (isComposite ? objectOf(target) : ({ Int: 1, ID: '1', E0: 'V0' }[target] ?? 'text'));
    return (wrap.match(/\[/g) ?? []).reduce<unknown>((value) => [value, value], one());
  };
  const all: Record<string, Record<string, any>> = {};
  for (const { name, kind, fields } of model.types.values()) {
    const map: Record<string, any> = {};
    const isRoot = Object.values(model.roots).includes(name);
    if (kind === 'interface' || kind === 'union') {
      // A representation of an interface is its own entity.
      map['__resolveType'] = (value: any): unknown => value.type ?? objectTypes(model.types, name)[0];
      if (model.entities.includes(name) && random.chance(0.5))
        map['__resolveReference'] = (_reference: unknown, _context: unknown, info: GraphQLResolveInfo): unknown => {
          note(info, name);
          return objectOf(name);
        };
    } else if (kind === 'object') {
      if (model.entities.includes(name))
        map['__resolveReference'] = (_reference: unknown, _context: unknown, info: GraphQLResolveInfo): unknown => {
          note(info, name);
          return objectOf(name);
        };
      for (const field of fields.values()) {
        const resolve: Resolver = (_parent, _args, _context, info) => {
          note(info, `${name}.${field.name}`);
          return valueOf(field.target, field.wrap);
        };
        map[field.name] =
          name === model.roots.subscription
            ? subscriptionOf(resolve)
            : !isRoot && random.chance(0.1)
              ? batch((parents, args, context, info) => parents.map((parent) => resolve(parent, args, context, info as never)) as any)
              : resolve;
      }
    }
    if (Object.keys(map).length > 0) all[name] = map;
  }
  return all;
}

/** A source that has one event. */
function subscriptionOf(resolve: Resolver): object {
  return {
    subscribe: (...given: Parameters<Resolver>) => {
      resolve(...given);
      return (async function* () {
        yield {};
      })();
    },
    resolve,
  };
}

/** A schema that was not made from text by the server. */
function schemaWith(
  typeDefs: string,
  extensions: ReadonlyMap<string, object>,
  resolvers: Record<string, Record<string, any>>,
): GraphQLSchema {
  const schema = buildSchema(typeDefs, { assumeValidSDL: true });
  for (const type of Object.values(schema.getTypeMap())) {
    const own = extensions.get(type.name);
    if (own !== undefined) type.extensions = { authorization: own };
    if ((isInterfaceType(type) || isUnionType(type)) && resolvers[type.name] !== undefined)
      type.resolveType = resolvers[type.name]!['__resolveType'];
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const ofField = extensions.get(`${type.name}.${field.name}`);
      if (ofField !== undefined) field.extensions = { authorization: ofField };
      const resolver = isObjectType(type) ? resolvers[type.name]?.[field.name] : undefined;
      if (resolver !== undefined) Object.assign(field, typeof resolver === 'function' ? { resolve: resolver } : resolver);
    }
  }
  return schema;
}
