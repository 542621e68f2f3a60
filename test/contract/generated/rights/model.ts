import type { Random } from '../../../support/random.ts';

/** Requirements of one place, all of which count. The members are those of `extensions.authorization`. */
export interface Rule {
  readonly authenticated?: true;
  readonly scopes?: readonly (readonly string[])[];
  readonly policies?: readonly (readonly string[])[];
}

type Kind = 'object' | 'interface' | 'union' | 'enum' | 'scalar';

export interface FieldModel {
  readonly name: string;
  /** The name of the type that remains without lists and non-null. */
  readonly target: string;
  /** `[%]`: a list of the target. */
  readonly wrap: string;
  /** The type of the argument `given`, an enum. */
  readonly argument: string | undefined;
}

export interface TypeModel {
  readonly name: string;
  readonly kind: Kind;
  /** All of them, those of its interfaces too. */
  readonly interfaces: readonly string[];
  readonly members: readonly string[];
  readonly fields: Map<string, FieldModel>;
}

/**
 * How rules are written. 'text': directives that the plugin defines; 'author': directives that the text defines, as repeatable; 'link':
 * those of federation, by the names of `@link`; 'code': a GraphQLSchema with `extensions.authorization`; 'both': with directives, too.
 */
export type Style = 'text' | 'author' | 'link' | 'code' | 'both';

/** A random schema. Its rules are known here without reading them from the schema. */
export interface Model {
  readonly style: Style;
  readonly types: ReadonlyMap<string, TypeModel>;
  /** By type, and by type and field: `Book`, `Book.title`. */
  readonly rules: ReadonlyMap<string, readonly Rule[]>;
  readonly roots: { readonly query: string; readonly mutation: string; readonly subscription: string };
  /** The object types and interfaces with a key, in a subgraph. */
  readonly entities: readonly string[];
  /** The names of the directives, which `@link` may change. */
  readonly names: { readonly authenticated: string; readonly requiresScopes: string; readonly policy: string };
  readonly link: string;
}

export const scopes: readonly string[] = ['read', 'write:all', "a.b/c'd!", 's1', 's2', 's3', 's4', 's5'];
export const policies: readonly string[] = ['owner', 'paid', 'local', 'p1', 'p2'];

const wraps = ['%', '%!', '[%]', '[%!]!', '[[%]]'];
const styles: readonly Style[] = ['text', 'link', 'code', 'author', 'link', 'both', 'link'];

/** `at`: schemas in a row have all styles. */
export function randomModel(random: Random, at: number): Model {
  for (;;) {
    const model = tryModel(random, styles[at % styles.length]!);
    if (model !== undefined) return model;
  }
}

/** Undefined if two interfaces of a type have fields that no field can implement. */
function tryModel(random: Random, style: Style): Model | undefined {
  const types = new Map<string, TypeModel>();
  const add = (kind: Kind, name: string, more: Partial<TypeModel> = {}): void =>
    void types.set(name, { name, kind, interfaces: [], members: [], fields: new Map(), ...more });
  const isRenamed = random.chance(0.15);
  const roots = isRenamed
    ? { query: 'Reads', mutation: 'Writes', subscription: 'Events' }
    : { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' };

  for (let at = 0; at < 1 + random.below(3); at++) {
    const parents = [...types.values()].filter(() => random.chance(0.5));
    add('interface', `I${at}`, { interfaces: withParents(parents) });
  }
  const interfaces = [...types.values()];
  const objects = Array.from({ length: 2 + random.below(3) }, (_, at) => `T${at}`);
  for (const name of objects) add('object', name, { interfaces: withParents(interfaces.filter(() => random.chance(0.45))) });
  for (const root of Object.values(roots))
    add('object', root, { interfaces: random.chance(0.05) ? withParents([random.pick(interfaces)]) : [] });
  for (let at = 0; at < random.below(3); at++) add('union', `U${at}`, { members: someOf(random, objects) });
  add('enum', 'E0');
  add('scalar', 'S0');

  const leaves = ['Int', 'String', 'E0', 'S0', 'E0', 'S0'];
  const composites = [...types.values()].filter(({ name, kind }) => {
    const isRoot = Object.values(roots).includes(name);
    return !isRoot && kind !== 'enum' && kind !== 'scalar' && objectTypes(types, name).length > 0;
  });
  const shared = ['a', 'b', 'c', 'd', 'e'].map((name, at) => ({
    name,
    leaf: at < 2 ? random.pick(leaves) : undefined,
    wrap: random.pick(wraps),
    argument: random.chance(0.2) ? 'E0' : undefined,
  }));
  for (const type of types.values()) {
    if (type.kind !== 'object' && type.kind !== 'interface') continue;
    type.fields.set('id', { name: 'id', target: 'ID', wrap: '%', argument: undefined });
    for (const { name, leaf, wrap, argument } of shared) {
      const inherited = type.interfaces.flatMap((one) => types.get(one)!.fields.get(name) ?? []);
      if (inherited.length === 0 && random.chance(type.kind === 'interface' ? 0.35 : 0.5)) continue;
      const fits =
        leaf !== undefined ? [] : composites.filter((one) => inherited.every(({ target }) => subtypes(types, target).includes(one.name)));
      if (leaf === undefined && fits.length === 0) return undefined;
      // Mostly another type than the interface has.
      const narrower = fits.filter((one) => inherited.every(({ target }) => target !== one.name));
      const target = leaf ?? random.pick(narrower.length > 0 ? narrower : fits).name;
      type.fields.set(name, { name, target, wrap, argument });
    }
  }
  const ofInterfaces = composites.filter(({ kind }) => kind === 'interface');
  const abstract = ofInterfaces.length > 0 ? ofInterfaces : composites;
  const addRootFields = (root: string, prefix: string, count: number): void => {
    for (let at = 0; at < count; at++) {
      const isLeaf = at > 0 && random.chance(0.2);
      const target = isLeaf ? random.pick(leaves) : random.pick(random.chance(0.4) ? abstract : composites).name;
      types.get(root)!.fields.set(`${prefix}${at}`, { name: `${prefix}${at}`, target, wrap: random.pick(wraps), argument: undefined });
    }
  };
  addRootFields(roots.query, 'q', 3);
  addRootFields(roots.mutation, 'm', 2);
  addRootFields(roots.subscription, 's', 1);
  if (random.chance(0.15))
    types.get(roots.mutation)!.fields.set('root', { name: 'root', target: roots.query, wrap: '%', argument: undefined });

  const entities = style === 'link' ? entitiesOf(random, types, objects) : [];
  return { style, types, rules: randomRules(random, { types, style, roots }), roots, entities, ...randomNames(random, style) };
}

function withParents(parents: readonly TypeModel[]): readonly string[] {
  return [...new Set(parents.flatMap(({ name, interfaces }) => [...interfaces, name]))];
}

function someOf<T>(random: Random, all: readonly T[]): readonly T[] {
  const some = all.filter(() => random.chance(0.5));
  return some.length > 0 ? some : [random.pick(all)];
}

/** One or two. */
function fewOf(random: Random, all: readonly string[]): readonly string[] {
  return [...new Set(random.chance(0.6) ? [random.pick(all)] : [random.pick(all), random.pick(all)])];
}

/** The names of the types whose values are values of this type, itself included. */
function subtypes(types: ReadonlyMap<string, TypeModel>, name: string): readonly string[] {
  const { members } = types.get(name)!;
  return [name, ...members, ...[...types.values()].filter(({ interfaces }) => interfaces.includes(name)).map((one) => one.name)];
}

/** The names of the object types of a composite type. */
export function objectTypes(types: ReadonlyMap<string, TypeModel>, name: string): readonly string[] {
  return subtypes(types, name).filter((one) => types.get(one)!.kind === 'object');
}

/** An interface can only have a key if all its object types have it. */
function entitiesOf(random: Random, types: ReadonlyMap<string, TypeModel>, objects: readonly string[]): readonly string[] {
  const own = random.chance(0.5) ? objects : someOf(random, objects);
  const interfaces = [...types.values()].filter(({ kind, name }) => {
    const all = kind === 'interface' ? objectTypes(types, name) : [];
    return all.length > 0 && all.every((one) => own.includes(one));
  });
  return [...own, ...interfaces.map(({ name }) => name)];
}

function randomRules(
  random: Random,
  { types, style, roots }: Pick<Model, 'types' | 'style' | 'roots'>,
): ReadonlyMap<string, readonly Rule[]> {
  const rules = new Map<string, readonly Rule[]>();
  const density = random.pick([0.05, 0.1, 0.2]);
  const mayRepeat = style === 'author' || style === 'both';
  const write = (place: string, chance: number): void => {
    const found: Rule[] = [];
    const count = random.chance(chance) ? (style === 'both' ? 2 : 1 + random.below(2)) : 0;
    for (let at = 0; at < count; at++) {
      const rule = randomRule(random);
      if (mayRepeat || !found.some((one) => Object.keys(one)[0] === Object.keys(rule)[0])) found.push(rule);
    }
    if (found.length > 0) rules.set(place, found);
  };
  for (const { name, kind, fields } of types.values()) {
    const isRoot = Object.values(roots).includes(name);
    if (kind !== 'union') write(name, isRoot ? (style === 'link' ? 0.3 : 0.15) : density * 2);
    for (const field of fields.keys()) write(`${name}.${field}`, isRoot || field === 'id' ? density / 2 : density);
  }
  // A schema without any rule is an error.
  if (rules.size === 0) rules.set('S0', [{ authenticated: true }]);
  return rules;
}

function randomRule(random: Random): Rule {
  const kind = random.below(10);
  if (kind < 3) return { authenticated: true };
  const alternatives = (all: readonly string[]): readonly (readonly string[])[] =>
    Array.from({ length: random.chance(0.09) ? 0 : random.pick([1, 1, 2, 3]) }, () => fewOf(random, all));
  return kind < 8 ? { scopes: alternatives(scopes) } : { policies: alternatives(policies) };
}

function randomNames(random: Random, style: Style): Pick<Model, 'names' | 'link'> {
  const directives = ['authenticated', 'requiresScopes', 'policy'] as const;
  const plain = { authenticated: 'authenticated', requiresScopes: 'requiresScopes', policy: 'policy' };
  if (style !== 'link') return { names: plain, link: '' };
  const prefix = random.pick(['federation', 'fed']);
  // A swap: each of the two has the other's name.
  const isSwapped = random.chance(0.1);
  const imported = new Map<string, string>(
    isSwapped
      ? [
          ['requiresScopes', 'policy'],
          ['policy', 'requiresScopes'],
        ]
      : directives.flatMap((name) => (random.chance(0.3) ? [] : [[name, random.chance(0.5) ? name : `my_${name}`]])),
  );
  const nameOf = (name: string): string => imported.get(name) ?? `${prefix}__${name}`;
  const same = random.pick([(name: string) => `"@${name}"`, (name: string) => `{ name: "@${name}" }`]);
  const imports = [...imported].map(([name, as]) => (name === as ? same(name) : `{ name: "@${name}", as: "@${as}" }`));
  const as = prefix === 'federation' ? '' : `, as: "${prefix}"`;
  return {
    names: { authenticated: nameOf('authenticated'), requiresScopes: nameOf('requiresScopes'), policy: nameOf('policy') },
    link: `@link(url: "https://specs.apollo.dev/federation/v2.${random.pick([6, 9, 15])}"${as}, import: [${['"@key"', ...imports].join(', ')}])`,
  };
}
