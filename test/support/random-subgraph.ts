import type { Random } from './random.ts';

type Values = Readonly<Record<'id' | 'name', string>>;

/** How a resolver answers one reference. Its id begins with the name of the outcome: `object-b1`. */
const outcomes: Readonly<Record<string, (values: Values) => unknown>> = {
  object: (values) => values,
  promise: async (values) => values,
  'class instance': (values) => new Row(values),
  'other __typename': (values) => ({ ...values, __typename: 'Plain' }),
  null: () => null,
  undefined: () => undefined,
  'promised null': async () => null,
  rejection: ({ id }) => Promise.reject(new Error(`rejected ${id}`)),
  error: ({ id }) => new Error(`error ${id}`),
  'promised error': async ({ id }) => new Error(`error ${id}`),
  text: () => 'text',
};
/** How only this library answers: Apollo's fails all entities, or the entity. */
const ownOutcomes: typeof outcomes = {
  throw: ({ id }) => {
    throw new Error(`thrown ${id}`);
  },
  frozen: (values) => Object.freeze(values),
  shared: () => shared,
};
const shared = { id: 'shared', name: 'shared', size: 1 };
const all = { ...outcomes, ...ownOutcomes };

export interface RandomSubgraph {
  readonly typeDefs: string;
  readonly resolvers: Record<string, any>;
  readonly types: readonly RandomType[];
}

interface RandomType {
  readonly name: string;
  readonly kind: 'entity' | 'plain' | 'interface' | 'implementation';
  readonly fields: readonly string[];
}

class Row {
  readonly kind = 'row';

  constructor(values: object) {
    Object.assign(this, values);
  }
}

/** A federation 2 subgraph with entities, plain types, and an interface with a key. The same for the same random numbers. */
export function randomSubgraph(random: Random): RandomSubgraph {
  const version = random.pick([0, 3, 5, 9, 12, 14]);
  const entities = Array.from({ length: 2 + random.below(4) }, (_, at) => `Entity${at}`);
  const hasInterface = version >= 3 && random.chance(0.6);
  const implementations = hasInterface ? ['Book', 'Film'] : [];
  const types: RandomType[] = [];
  const texts: string[] = [];
  const resolvers: Record<string, any> = { Query: { first: () => ({ id: 'q', name: 'first' }) } };
  const fieldsOf = (): readonly (readonly [string, string])[] => {
    const all = [
      ['name', 'String'],
      ['size', 'Int'],
      ['tags', '[String!]'],
      [`other${random.below(3)}`, random.pick([...entities, 'Plain'])],
      [`list${random.below(3)}`, `[${random.pick([...entities, 'Plain'])}]`],
    ] as const;
    return all.filter(() => random.chance(0.7));
  };
  const write = (head: string, name: string, kind: RandomType['kind'], fields: readonly (readonly [string, string])[]): void => {
    texts.push(`${head} { id: ID! ${fields.map(([field, type]) => `${field}: ${type}`).join(' ')} }`);
    types.push({ name, kind, fields: fields.map(([field, type]) => (/Entity|Plain/.test(type) ? `${field} { id }` : field)) });
    if (kind === 'interface') return;
    const map: Record<string, unknown> = {};
    for (const [field, type] of fields) {
      if (random.chance(0.4)) continue;
      map[field] = fieldResolver(type, random.chance(0.3));
    }
    resolvers[name] = map;
  };
  write('type Plain', 'Plain', 'plain', fieldsOf());
  for (const name of entities) {
    const head = random.chance(0.1) ? `@key(fields: "id", resolvable: false)` : '@key(fields: "id")';
    write(`${random.chance(0.2) ? 'extend ' : ''}type ${name} ${head}`, name, 'entity', fieldsOf());
    if (random.chance(0.85)) resolvers[name]!.__resolveReference = referenceResolver(name);
  }
  if (hasInterface) {
    write('interface Media @key(fields: "id")', 'Media', 'interface', [['name', 'String']]);
    for (const name of implementations) {
      write(`type ${name} implements Media @key(fields: "id")`, name, 'implementation', [
        ['name', 'String'],
        ['size', 'Int'],
      ]);
      if (random.chance(0.8)) resolvers[name]!.__resolveReference = referenceResolver(name);
    }
    const isLater = random.chance(0.4);
    const typeOf = (value: any): unknown => {
      const id = String(value?.id ?? '');
      return id.includes('b') ? 'Book' : id.includes('f') ? 'Film' : 'Plain';
    };
    resolvers['Media'] = {
      __resolveType: (value: any) => (isLater ? Promise.resolve(typeOf(value)) : typeOf(value)),
      ...(random.chance(0.4) && { __resolveReference: referenceResolver('Media') }),
    };
  }
  const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.${version}", import: ["@key"])`;
  return { typeDefs: [link, 'type Query { first: Entity0 }', ...texts].join('\n'), resolvers, types };
}

function fieldResolver(type: string, isLater: boolean): (parent: any) => unknown {
  const value = ({ id }: any): unknown => {
    if (/\[.*(?:Entity|Plain)/.test(type)) return [{ id: `${id}1`, name: 'n', size: 1 }, null, { id: `${id}2`, size: 2 }];
    if (/Entity|Plain/.test(type)) return { id: `${id}o`, name: 'other', size: 3 };
    if (type === 'Int') return String(id).length;
    return type === 'String' ? `name of ${id}` : [`tag ${id}`];
  };
  return isLater ? async (parent) => value(parent) : value;
}

function referenceResolver(type: string): (reference: any) => unknown {
  return ({ id }) => all[String(id).split('-')[0]!]!({ id, name: `${type} ${id}`, size: 7, tags: ['t'] } as Values);
}

export interface RandomOperation {
  readonly query: string;
  readonly representations: readonly unknown[];
}

/** An operation as routers send it. `own`: also references that only this library answers well. */
export function randomOperation(random: Random, { types }: RandomSubgraph, own: boolean): RandomOperation {
  const named = types.filter(({ kind }) => kind !== 'plain');
  const selected = named.filter(() => random.chance(0.8));
  const fragments = selected.map(({ name, fields }) => {
    const chosen = fields
      .filter(() => random.chance(0.7))
      .map((field) => (random.chance(0.2) ? `as${field.split(' ')[0]}: ${field}` : field));
    return `... on ${name} { ${['id', ...chosen].join(' ')} }`;
  });
  const representations = Array.from({ length: random.below(7) }, (_, at) => randomRepresentation(random, named, { own, at }));
  return {
    query: `query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename ${fragments.join(' ')} } }`,
    representations,
  };
}

function randomRepresentation(
  random: Random,
  types: readonly RandomType[],
  { own, at }: { readonly own: boolean; readonly at: number },
): unknown {
  if (own && random.chance(0.1))
    return random.pick<unknown>([{ __typename: 'Unknown' }, {}, 'text', 7, { __typename: 'ID', id: '1' }, [], { __typename: 5 }]);
  const name = random.chance(0.05) ? 'Plain' : random.pick(types).name;
  const outcome = random.pick(Object.keys(own ? all : outcomes));
  return { __typename: name, id: `${outcome}-${random.pick(['b', 'f', 'x'])}${at}` };
}
