import type { Random } from '../../../support/random.ts';
import type { FieldModel, Model, Rule, TypeModel } from './model.ts';

/** What is written as a directive, and what as `extensions.authorization`. */
export interface Written {
  readonly typeDefs: string;
  readonly extensions: ReadonlyMap<string, Rule>;
}

const authorDefinitions = ['authenticated', 'requiresScopes(scopes: [[String!]!]!)', 'policy(policies: [[String!]!]!)']
  .map((one) => `directive @${one} repeatable on OBJECT | INTERFACE | FIELD_DEFINITION | SCALAR | ENUM`)
  .join('\n');

/**
 * Writes a schema with its rules, each at the definition of its type or at one of its extensions. `isChecked`: it has no extension of
 * an interface of interfaces, because `@graphql-tools/schema`, which checks schemas in development and tests, forgets their interfaces.
 */
export function writeSchema(model: Model, random: Random, isChecked: boolean): Written {
  const { style, types, rules, roots, link } = model;
  const extensions = new Map<string, Rule>();
  /** The rules that are directives. The first rule of a place may be in `extensions`, if that is possible. */
  const directivesAt = (place: string): readonly string[] => {
    const all = rules.get(place) ?? [];
    const isInCode = (at: number): boolean => (style === 'code' ? true : style === 'both' && at === 0 && random.chance(0.6));
    const inCode = all.filter((_, at) => isInCode(at));
    if (inCode.length > 0) extensions.set(place, Object.assign({}, ...inCode) as Rule);
    return all.filter((rule) => !inCode.includes(rule)).map((rule) => directiveOf(rule, model));
  };
  const writeField = (owner: string, { name, target, wrap, argument }: FieldModel): string => {
    const given = argument === undefined ? '' : `(given: ${argument})`;
    return `${name}${given}: ${wrap.replace('%', target)} ${directivesAt(`${owner}.${name}`).join(' ')}`;
  };
  const writeType = (type: TypeModel): readonly string[] => {
    const directives = directivesAt(type.name);
    const isWhole = isChecked && type.kind === 'interface' && type.interfaces.length > 0;
    const early = directives.filter(() => isWhole || random.chance(0.6));
    const late = directives.filter((one) => !early.includes(one));
    const key = model.entities.includes(type.name) ? ' @key(fields: "id")' : '';
    const fields = [...type.fields.values()];
    const kept = fields.filter(({ name }) => isWhole || name === 'id' || random.chance(0.8));
    const added = fields.filter((one) => !kept.includes(one));
    const body = (some: readonly FieldModel[]): string =>
      some.length === 0 ? '' : `{\n${some.map((one) => `  ${writeField(type.name, one)}\n`).join('')}}`;
    const keyword = { object: 'type', interface: 'interface', enum: 'enum', scalar: 'scalar', union: 'union' }[type.kind];
    const head = `${keyword} ${type.name}`;
    const interfaces = type.interfaces.length === 0 ? '' : ` implements ${type.interfaces.join(' & ')}`;
    const rest = type.kind === 'union' ? ` = ${type.members.join(' | ')}` : type.kind === 'enum' ? ' { V0 V1 }' : body(kept);
    return [
      `${head}${interfaces}${key} ${early.join(' ')} ${rest}`,
      ...late.map((directive) => `extend ${head} ${directive}`),
      ...(added.length === 0 ? [] : [`extend ${head} ${body(added)}`]),
    ];
  };
  const texts = [...types.values()].flatMap(writeType);
  const operations = `{ query: ${roots.query} mutation: ${roots.mutation} subscription: ${roots.subscription} }`;
  const isDefined = roots.query !== 'Query';
  const schema = isDefined ? `schema ${link} ${operations}` : link === '' ? '' : `extend schema ${link}`;
  const definitions = style === 'author' || style === 'both' ? authorDefinitions : '';
  const shuffled = texts.map((text) => ({ text, rank: random.next() })).toSorted((one, other) => one.rank - other.rank);
  return { typeDefs: [schema, definitions, ...shuffled.map(({ text }) => text)].join('\n'), extensions };
}

function directiveOf({ authenticated, scopes, policies }: Rule, { names }: Model): string {
  if (authenticated === true) return `@${names.authenticated}`;
  const argument = scopes === undefined ? `policies: ${JSON.stringify(policies)}` : `scopes: ${JSON.stringify(scopes)}`;
  return `@${scopes === undefined ? names.policy : names.requiresScopes}(${argument})`;
}

/** The schema without rules, in which each field that returns objects returns a list of them: so one run answers with all types. */
export function writeForReference({ types, roots, entities }: Model): string {
  const writeField = ({ name, target, wrap, argument }: FieldModel): string => {
    const isComposite = types.get(target) !== undefined && types.get(target)!.kind !== 'enum' && types.get(target)!.kind !== 'scalar';
    return `${name}${argument === undefined ? '' : `(given: ${argument})`}: ${isComposite ? `[${target}]` : wrap.replace('%', target)}`;
  };
  const written = [...types.values()].map(({ name, kind, interfaces, members, fields }) => {
    if (kind === 'enum') return `enum ${name} { V0 V1 }`;
    if (kind === 'scalar') return `scalar ${name}`;
    if (kind === 'union') return `union ${name} = ${members.join(' | ')}`;
    const isQuery = name === roots.query && entities.length > 0;
    const federation = isQuery ? '_service: _Service! _entities(representations: [_Any!]!): [_Entity]!' : '';
    const implemented = interfaces.length === 0 ? '' : ` implements ${interfaces.join(' & ')}`;
    return `${kind === 'object' ? 'type' : 'interface'} ${name}${implemented} { ${[...fields.values()].map(writeField).join(' ')} ${federation} }`;
  });
  const objects = entities.filter((name) => types.get(name)!.kind === 'object');
  const federation = objects.length === 0 ? '' : `scalar _Any type _Service { sdl: String } union _Entity = ${objects.join(' | ')}`;
  return `schema { query: ${roots.query} mutation: ${roots.mutation} subscription: ${roots.subscription} } ${written.join('\n')} ${federation}`;
}
