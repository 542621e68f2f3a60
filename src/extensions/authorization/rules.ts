import {
  DirectiveLocation,
  getNamedType,
  isInputObjectType,
  isIntrospectionType,
  isSpecifiedScalarType,
  Kind,
  valueFromASTUntyped,
} from 'graphql';
import type {
  ConstDirectiveNode,
  ConstValueNode,
  FieldDefinitionNode,
  GraphQLField,
  GraphQLInterfaceType,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
} from 'graphql';

import { isRecord, isScope } from '../../shared/index.ts';
import type { RightsRule } from '../../shared/index.ts';
import { federationNames } from '../subgraph/index.ts';

/** The directives by their names in federation's specification, with their arguments. */
const argumentOf = { authenticated: undefined, requiresScopes: 'scopes', policy: 'policies' } as const;

type DirectiveName = keyof typeof argumentOf;

const places = 'on OBJECT | INTERFACE | FIELD_DEFINITION | SCALAR | ENUM';

/** The definitions of the directives, by their names. */
export const definitions: ReadonlyMap<string, string> = new Map(
  Object.entries(argumentOf).map(([name, argument]) => {
    return [name, `directive @${name}${argument === undefined ? '' : `(${argument}: [[String!]!]!)`} ${places}`];
  }),
);

/** The members of a rule that have lists, with what one name of them is, and what is wrong with it. */
const lists: Readonly<Record<string, readonly [one: string, wrong: string]>> = {
  scopes: ['scope', 'is no scope: scopes have no spaces, quotation marks, backslashes and control characters (RFC 6749, section 3.3)'],
  policies: ['policy', 'is not in the option policies of authorization()'],
};

type Field = GraphQLField<unknown, unknown>;
type Owner = GraphQLObjectType | GraphQLInterfaceType;
type Place = GraphQLNamedType | Field;
type Values = Readonly<Record<string, unknown>>;
type Directives = readonly ConstDirectiveNode[];

/** The node of a type or field. */
type Node = Pick<FieldDefinitionNode, 'loc' | 'directives'> &
  Readonly<Partial<Record<'fields' | 'values' | 'types', readonly FieldDefinitionNode[] | undefined>>>;

/** The rules of one schema, each read when it is first needed, because the types of the schema are made lazily. */
export class Rules {
  readonly #schema: GraphQLSchema;
  readonly #policies: object;
  readonly #names: ReadonlyMap<string, DirectiveName>;
  /** Equal rules are the same object, so that those of a thousand types count once. */
  readonly #all = new Map<string, RightsRule>();
  #sorted: readonly RightsRule[] | undefined;
  /** Whether a type, or the definition of one of the directives, is from text. Undefined if no place without a node has been read. */
  #hasText: boolean | undefined;
  readonly #fields = new Map<Owner, Map<string, Directives>>();
  readonly #whole = new Map<Place, readonly RightsRule[]>();

  constructor(schema: GraphQLSchema, policies: object) {
    this.#schema = schema;
    this.#policies = policies;
    this.#names = directiveNames(schema);
  }

  /**
   * The rules of a type and of its interfaces, or of a field, of the same field in the interfaces of its type, of its type, and of the type
   * that it returns. Throws an Error for a wrong one.
   */
  of(place: Place, owner?: Owner): readonly RightsRule[] {
    const known = this.#whole.get(place);
    if (known !== undefined) return known;
    const parts = [this.#ownOf(place, owner)];
    if (owner !== undefined) parts.push(this.of(owner), this.of(getNamedType((place as Field).type)));
    const type = owner ?? (place as GraphQLNamedType);
    for (const one of 'getInterfaces' in type ? type.getInterfaces() : []) {
      const same = owner === undefined ? one : one.getFields()[place.name];
      if (same !== undefined) parts.push(this.of(same, owner && one));
    }
    const some = parts.filter((rules) => rules.length > 0);
    const rules = some.length < 2 ? (some[0] ?? none) : [...new Set(some.flat())];
    this.#whole.set(place, rules);
    return rules;
  }

  /** All rules in the order of the schema, once each, and the errors of wrong ones, or that of a schema without rules. */
  inOrder(): { readonly rules: readonly RightsRule[]; readonly errors: readonly unknown[] } {
    const found = new Set<RightsRule>();
    const errors: unknown[] = [];
    for (const name of this.#names.keys()) {
      const other = this.#schema.getDirective(name)?.locations.find((location) => !places.includes(location));
      if (other !== undefined) errors.push(new Error(`Expected @${name} ${places}. authorization() does not read it on ${other}.`));
    }
    for (const type of Object.values(this.#schema.getTypeMap()))
      for (const field of [undefined, ...('getInterfaces' in type ? Object.values(type.getFields()) : [])])
        try {
          for (const rule of field ? this.#ownOf(field, type as Owner) : this.#ownOf(type)) found.add(rule);
        } catch (error) {
          errors.push(error);
        }
    if (found.size === 0) errors.push(new Error(noRules));
    return { rules: [...found], errors };
  }

  /** Puts rules in the order of the schema. To find it makes all types, so it is not looked for if it does not matter. */
  readonly sort = (some: readonly RightsRule[]): readonly RightsRule[] => {
    if (some.length < 2) return some;
    this.#sorted ??= this.inOrder().rules;
    return this.#sorted.filter((rule) => some.includes(rule));
  };

  /** The rules of a place alone. */
  #ownOf(place: Place, owner?: Owner): readonly RightsRule[] {
    const name = owner === undefined ? place.name : `${owner.name}.${place.name}`;
    const inOwner = owner && this.#fieldsIn(owner).get(place.name);
    const { authorization: given, directives }: Values = place.extensions ?? {};
    if (given === undefined && !place.astNode && inOwner === undefined && this.#mayHaveLost(place, owner)) throw lost(name);
    const written = owner === undefined ? nodesOf(place).flatMap((node) => node.directives ?? []) : (place.astNode?.directives ?? []);
    // Most places have no rule.
    if (written.length === 0 && !inOwner?.length && directives === undefined && given === undefined) return none;
    const uses = [...new Set([...written, ...(inOwner ?? [])])].filter((one) => this.#names.has(one.name.value));
    const rules = [...uses.map((one) => [one.name.value, argumentsOf(one, name)] as const), ...usesIn(directives)].flatMap(
      ([directive, values]) => this.#readDirective(directive, values, name),
    );
    if (given !== undefined && given !== null) {
      const where = `extensions.authorization of ${name}`;
      const own = isRecord(given) ? this.#check(given, where) : none;
      if (own.length === 0) throw new Error(`Expected ${where} to be an object with authenticated, scopes or policies.`);
      rules.push(...own);
    }
    return rules.map((rule) => {
      const key = JSON.stringify(rule);
      return this.#all.set(key, this.#all.get(key) ?? rule).get(key)!;
    });
  }

  /** The directives of fields in the nodes of their type, in case a transform drops the node of a field. */
  #fieldsIn(owner: Owner): ReadonlyMap<string, Directives> {
    const fields = this.#fields.get(owner) ?? new Map<string, Directives>();
    if (fields.size === 0)
      for (const { name, directives = [] } of nodesOf(owner).flatMap((node) => node.fields ?? []))
        fields.set(name.value, [...(fields.get(name.value) ?? []), ...directives]);
    this.#fields.set(owner, fields);
    return fields;
  }

  /** Whether a place without its node may have lost rules, because the schema has types from text. */
  #mayHaveLost(place: Place, owner: Owner | undefined): boolean {
    // A type in code says itself that it lacks a node. Libraries add the fields of a subgraph to its schema.
    const isKnown = owner
      ? !owner.astNode || /^_(?:service _Service|entities _Entity)$/.test(`${place.name} ${getNamedType((place as Field).type).name}`)
      : isFree(place as GraphQLNamedType);
    if (isKnown || this.#schema.extensions?.['authorization'] === null) return false;
    return (this.#hasText ??=
      [...this.#names.keys()].some((name) => this.#schema.getDirective(name)?.astNode) ||
      Object.values(this.#schema.getTypeMap()).some(isFromText));
  }

  #readDirective(name: string, values: Values, place: string): readonly RightsRule[] {
    const directive = this.#names.get(name);
    if (directive === undefined) return none;
    const where = `@${name} of ${place}`;
    const argument = argumentOf[directive];
    const wrong = Object.keys(values).find((one) => one !== argument);
    if (wrong !== undefined) throw new Error(`Expected ${where} to have ${argument ?? 'no arguments'}, got "${wrong}".`);
    if (argument === undefined) return [{ authenticated: true }];
    if (values[argument] === undefined) throw new Error(`Expected ${where} to have the argument ${argument}.`);
    return this.#check(values, where);
  }

  /** The rules of an object, one for each member. */
  #check(given: Values, where: string): readonly RightsRule[] {
    return Object.entries(given).flatMap(([member, value]): readonly RightsRule[] => {
      if (value === undefined) return none;
      if (member === 'authenticated' && value === true) return [{ authenticated: true }];
      if (!Object.hasOwn(lists, member))
        throw new Error(`Expected ${where} to have authenticated: true, scopes or policies, got ${member}: ${JSON.stringify(value)}.`);
      const [one, reason] = lists[member]!;
      if (!isListOfLists(value)) {
        const list = 'a list of lists with names, like [["a", "b"], ["c"]]: a and b, or c';
        throw new Error(`Expected ${member} in ${where} to be ${list}. Got ${JSON.stringify(value)}.`);
      }
      const wrong = value.flat().find((name) => !(member === 'scopes' ? isScope(name) : Object.hasOwn(this.#policies, name)));
      if (wrong !== undefined) throw new Error(`The ${one} ${JSON.stringify(wrong)} in ${where} ${reason}.`);
      return [{ [member]: value }];
    });
  }
}

const noRules =
  'authorization() has found no rule in the schema: no @authenticated, @requiresScopes or @policy, and no extensions.authorization. Transforms of a schema, printSchema and tools that merge it may lose them.';

const none: readonly never[] = [];

/** graphql-js takes ["a", "b"] as [["a"], ["b"]], which means a OR b. An empty alternative would allow everybody. */
function isListOfLists(value: unknown): value is readonly (readonly string[])[] {
  if (!Array.isArray(value)) return false;
  return value.every((all) => Array.isArray(all) && all.length > 0 && all.every((one) => typeof one === 'string'));
}

/** The definition of a type, and its extensions. */
function nodesOf(type: object): readonly Node[] {
  const { astNode, extensionASTNodes = [] } = type as { readonly astNode?: Node | null; readonly extensionASTNodes?: readonly Node[] };
  return astNode ? [astNode, ...extensionASTNodes] : extensionASTNodes;
}

/** Libraries make nodes for directives of types in code, without a location and parts, and give graphql-js's own types nodes for all schemas. */
function isFromText(type: GraphQLNamedType): boolean {
  const { loc, fields, values, types } = (type.astNode ?? {}) as Node;
  return !isFree(type) && (loc !== undefined || [fields, values, types].some((parts = []) => parts.length > 0));
}

/** True for types that need no rules, and those of graphql-js. */
function isFree(type: GraphQLNamedType): boolean {
  return isSpecifiedScalarType(type) || isIntrospectionType(type) || isInputObjectType(type);
}

function lost(name: string): Error {
  const how = 'Keep it, or set extensions.authorization of it or of the schema, which is null for no rule.';
  return new Error(`Expected ${name} to have its astNode, because a transform of the schema that drops it may drop rules. ${how}`);
}

/** The arguments of a directive. Throws for those of several, which tools that merge types join into one list: "and" would become "or". */
function argumentsOf({ name, loc, arguments: given = [] }: ConstDirectiveNode, place: string): Values {
  const isElsewhere = ({ loc: at }: ConstValueNode): boolean =>
    loc !== undefined && at !== undefined && (at.source !== loc.source || at.start < loc.start || at.end > loc.end);
  if (given.some(({ value }) => value.kind === Kind.LIST && value.values.some(isElsewhere)))
    throw new Error(`Expected one @${name.value} of ${place}, because a tool has merged several into "or". Join them into one list.`);
  return Object.fromEntries(given.map((one) => [one.name.value, valueFromASTUntyped(one.value)]));
}

/** Directives in extensions, as libraries for schemas in code write them: `{ name: arguments }`, or a list with `name` and `args`. */
function usesIn(directives: unknown): readonly (readonly [name: string, values: Values])[] {
  const uses = Array.isArray(directives) ? directives.map(({ name, args }) => [name, args] as const) : Object.entries(directives ?? {});
  return uses.flatMap(([name, all]) => [all].flat().map((values: Values | undefined) => [name as string, values ?? {}] as const));
}

/**
 * The directives by their names in this schema: those of federation's specification, unless a link gives that name to another directive,
 * and those that links give.
 */
function directiveNames(schema: GraphQLSchema): ReadonlyMap<string, DirectiveName> {
  const schemas = [schema.astNode, ...schema.extensionASTNodes].filter((node) => node !== null && node !== undefined);
  const mayHaveLost = schemas.length === 0 && schema.extensions?.['authorization'] !== null;
  if (mayHaveLost && schema.getDirective('link')?.locations.includes(DirectiveLocation.SCHEMA)) throw lost('the schema, which has @link,');
  const links = federationNames(schemas);
  const names = new Map<string, DirectiveName>();
  for (const name of Object.keys(argumentOf) as DirectiveName[])
    for (const prefix of ['', 'federation__', ...links.map((link) => `${link.prefix}__`)]) names.set(prefix + name, name);
  for (const [name, local] of links.flatMap((link) => link.imports)) {
    const directive = name.replace('@', '') as DirectiveName;
    if (Object.hasOwn(argumentOf, directive)) names.set(local.replace('@', ''), directive);
    // A type may have the name of a directive.
    else if (local.startsWith('@')) names.delete(local.slice(1));
  }
  return names;
}
