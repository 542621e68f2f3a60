import {
  DirectiveLocation,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  valueFromASTUntyped,
} from 'graphql';
import type {
  ConstDirectiveNode,
  GraphQLField,
  GraphQLInterfaceType,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  NameNode,
} from 'graphql';

import { isRecord, isScope } from '../../shared/index.ts';
import type { RightsRule } from '../../shared/index.ts';
import { federationNames } from '../subgraph/index.ts';

type DirectiveName = 'authenticated' | 'requiresScopes' | 'policy';

const places = 'on OBJECT | INTERFACE | FIELD_DEFINITION | SCALAR | ENUM';

/** The directives by their names in federation's specification, with their definitions. */
export const definitions: ReadonlyMap<DirectiveName, string> = new Map<DirectiveName, string>([
  ['authenticated', `directive @authenticated ${places}`],
  ['requiresScopes', `directive @requiresScopes(scopes: [[String!]!]!) ${places}`],
  ['policy', `directive @policy(policies: [[String!]!]!) ${places}`],
]);

type Field = GraphQLField<unknown, unknown>;
type Owner = GraphQLObjectType | GraphQLInterfaceType;

type Values = Readonly<Record<string, unknown>>;

interface Node {
  readonly loc?: unknown;
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
  readonly fields?: readonly (Node & { readonly name: NameNode })[] | undefined;
  readonly values?: readonly object[] | undefined;
  readonly types?: readonly object[] | undefined;
}

/** The rules of one schema, each read when it is first needed, because the types of the schema are made lazily. */
export class Rules {
  readonly #schema: GraphQLSchema;
  readonly #policies: object;
  readonly #names: ReadonlyMap<string, DirectiveName>;
  /** Equal rules are the same object, so that those of a thousand types count once. */
  readonly #all = new Map<string, RightsRule>();
  #sorted: readonly RightsRule[] | undefined;
  /** Whether a type is from text. Undefined if no place without a node has been read. */
  #hasText: boolean | undefined;
  readonly #own = new Map<GraphQLNamedType | Field, readonly RightsRule[]>();
  readonly #whole = new Map<GraphQLNamedType | Field, readonly RightsRule[]>();

  constructor(schema: GraphQLSchema, policies: object) {
    this.#schema = schema;
    this.#policies = policies;
    this.#names = directiveNames(schema);
  }

  /** The rules of a type and of its interfaces. Throws an Error for a wrong one. */
  ofType(type: GraphQLNamedType): readonly RightsRule[] {
    return this.#of(type, () => [
      ...this.#ownOf(type),
      ...(isObjectType(type) || isInterfaceType(type) ? type.getInterfaces().flatMap((one) => this.ofType(one)) : []),
    ]);
  }

  /** The rules of a field, of the same field in the interfaces of its type, and of the type that it returns. */
  ofField(owner: Owner, field: Field): readonly RightsRule[] {
    return this.#of(field, () => [
      ...this.#ownOf(field, owner),
      ...owner.getInterfaces().flatMap((one) => {
        const same = one.getFields()[field.name];
        return same === undefined ? [] : this.ofField(one, same);
      }),
      ...this.ofType(getNamedType(field.type)),
    ]);
  }

  /** All rules in the order of the schema, once each. `report` gets the error of each wrong rule. */
  inOrder(report: (error: unknown) => void): readonly RightsRule[] {
    const found = new Set<RightsRule>();
    const read = (place: GraphQLNamedType | Field, owner?: Owner): void => {
      try {
        for (const rule of this.#ownOf(place, owner)) found.add(rule);
      } catch (error) {
        report(error);
      }
    };
    for (const name of this.#names.keys()) {
      const other = this.#schema.getDirective(name)?.locations.find((location) => !places.includes(location));
      if (other !== undefined) report(new Error(`Expected @${name} ${places}. authorization() does not read it on ${other}.`));
    }
    for (const type of Object.values(this.#schema.getTypeMap())) {
      read(type);
      if (isObjectType(type) || isInterfaceType(type)) for (const field of Object.values(type.getFields())) read(field, type);
    }
    return [...found];
  }

  /** Puts rules in the order of the schema. To find it makes all types, so it is not looked for if it does not matter. */
  readonly sort = (some: readonly RightsRule[]): readonly RightsRule[] => {
    if (some.length < 2) return some;
    this.#sorted ??= this.inOrder(() => {});
    return this.#sorted.filter((rule) => some.includes(rule));
  };

  #of(place: GraphQLNamedType | Field, find: () => readonly RightsRule[]): readonly RightsRule[] {
    let rules = this.#whole.get(place);
    if (rules === undefined) this.#whole.set(place, (rules = [...new Set(find())]));
    return rules;
  }

  /** The rules of a place alone. */
  #ownOf(place: GraphQLNamedType | Field, owner?: Owner): readonly RightsRule[] {
    let rules = this.#own.get(place);
    if (rules === undefined) this.#own.set(place, (rules = this.#read(place, owner).map((rule) => this.#same(rule))));
    return rules;
  }

  #read(place: GraphQLNamedType | Field, owner: Owner | undefined): readonly RightsRule[] {
    const name = owner === undefined ? place.name : `${owner.name}.${place.name}`;
    // A type has nodes of its fields, too, in case a transform drops that of a field.
    const ofOwner = owner && nodesOf(owner).flatMap(({ fields = [] }) => fields.filter((field) => field.name.value === place.name));
    const nodes: readonly Node[] = [...nodesOf(place), ...(ofOwner ?? [])];
    const given: unknown = place.extensions?.['authorization'];
    if (given === undefined && (owner ? nodes.length === 0 : !place.astNode) && this.#mayHaveLost(place, owner)) throw lost(name);
    const written = [
      ...nodes.flatMap(({ directives = [] }) => directives.map((one) => [one.name.value, argumentsOf(one, name)] as const)),
      ...directivesIn(place.extensions),
    ].flatMap(([directive, values]) => this.#readDirective(directive, values, name));
    if (given === undefined || given === null) return written;
    const where = `extensions.authorization of ${name}`;
    const rules = isRecord(given) ? this.#check(given, where) : [];
    if (rules.length === 0) throw new Error(`Expected ${where} to be an object with authenticated, scopes or policies.`);
    return [...written, ...rules];
  }

  /** Whether a place without its node may have lost rules, because the schema has types from text. */
  #mayHaveLost(place: GraphQLNamedType | Field, owner: Owner | undefined): boolean {
    if (this.#schema.extensions?.['authorization'] === null) return false;
    // A type in code says itself that it lacks a node. Libraries add the fields of a subgraph to its schema.
    if (
      owner
        ? !owner.astNode || /^_(?:Service|Entity)$/.test(getNamedType((place as Field).type).name)
        : isBuiltIn(place as GraphQLNamedType)
    )
      return false;
    return (this.#hasText ??= Object.values(this.#schema.getTypeMap()).some(isFromText));
  }

  #readDirective(name: string, values: Values, place: string): readonly RightsRule[] {
    const directive = this.#names.get(name);
    if (directive === undefined) return [];
    const where = `@${name} of ${place}`;
    const argument = { authenticated: undefined, requiresScopes: 'scopes', policy: 'policies' }[directive];
    const wrong = Object.keys(values).find((one) => one !== argument);
    if (wrong !== undefined) throw new Error(`Expected ${where} to have ${argument ?? 'no arguments'}, got "${wrong}".`);
    if (argument === undefined) return [{ authenticated: true }];
    if (values[argument] === undefined) throw new Error(`Expected ${where} to have the argument ${argument}.`);
    return this.#check(values, where);
  }

  /** The rules of an object, one for each member. */
  #check(given: Values, where: string): readonly RightsRule[] {
    return Object.entries(given).flatMap(([member, value]): RightsRule[] => {
      if (value === undefined) return [];
      if (member === 'authenticated' && value === true) return [{ authenticated: true }];
      if (member !== 'scopes' && member !== 'policies')
        throw new Error(`Expected ${where} to have authenticated: true, scopes or policies, got ${member}: ${JSON.stringify(value)}.`);
      // graphql-js takes ["a", "b"] as [["a"], ["b"]], which means a OR b. An empty alternative would allow everybody.
      if (
        !Array.isArray(value) ||
        !value.every((all) => Array.isArray(all) && all.length > 0 && all.every((one) => typeof one === 'string'))
      )
        throw new Error(
          `Expected ${member} in ${where} to be a list of lists with names, like [["a", "b"], ["c"]]: a and b, or c. Got ${JSON.stringify(value)}.`,
        );
      const alternatives = value as string[][];
      const wrong = alternatives.flat().find((one) => (member === 'scopes' ? !isScope(one) : !Object.hasOwn(this.#policies, one)));
      if (wrong === undefined) return [{ [member]: alternatives }];
      const reason =
        member === 'scopes'
          ? 'is no scope: scopes have no spaces, quotation marks, backslashes and control characters (RFC 6749, section 3.3)'
          : 'is not in the option policies of authorization()';
      throw new Error(`The ${member === 'scopes' ? 'scope' : 'policy'} ${JSON.stringify(wrong)} in ${where} ${reason}.`);
    });
  }

  #same(rule: RightsRule): RightsRule {
    const key = JSON.stringify(rule);
    const known = this.#all.get(key);
    if (known === undefined) this.#all.set(key, rule);
    return known ?? rule;
  }
}

/** The definition of a type or field, and its extensions: `extend type`. */
function nodesOf(place: GraphQLNamedType | Field): readonly Node[] {
  const nodes: readonly (Node | null | undefined)[] = [
    place.astNode,
    ...('extensionASTNodes' in place ? (place.extensionASTNodes ?? []) : []),
  ];
  return nodes.filter((node) => node !== null && node !== undefined);
}

/** Whether a type had a definition in a text. Libraries make nodes for directives of a type in code, without a location, a description or fields. */
function isFromText(type: GraphQLNamedType): boolean {
  // A library may have given them nodes, for all schemas.
  if (isBuiltIn(type)) return false;
  const { astNode, extensionASTNodes = [] } = type as { readonly astNode?: Node | null; readonly extensionASTNodes?: readonly Node[] };
  if (astNode) return astNode.loc !== undefined || [astNode.fields, astNode.values, astNode.types].some((parts = []) => parts.length > 0);
  const extended: readonly unknown[] = extensionASTNodes.flatMap(({ fields, values }) => fields ?? values ?? []);
  const parts = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : isEnumType(type) ? type.getValues() : [];
  return parts.some((part) => part.astNode && 'description' in part.astNode && !extended.includes(part.astNode));
}

function isBuiltIn(type: GraphQLNamedType): boolean {
  return isSpecifiedScalarType(type) || isIntrospectionType(type);
}

function lost(name: string): Error {
  const how = 'Keep it, or set extensions.authorization of it or of the schema, which is null for no rule.';
  return new Error(`Expected ${name} to have its astNode, because a transform of the schema that drops it may drop rules. ${how}`);
}

/** The arguments of a directive. Throws for those of several, which tools that merge types join into one list: "and" would become "or". */
function argumentsOf({ name, loc, arguments: given = [] }: ConstDirectiveNode, place: string): Values {
  const isJoined = given.some(
    ({ value }) =>
      value.kind === Kind.LIST &&
      value.values.some((one) => loc && one.loc && (one.loc.source !== loc.source || one.loc.start < loc.start || one.loc.end > loc.end)),
  );
  if (isJoined)
    throw new Error(`Expected one @${name.value} of ${place}, because a tool has merged several into "or". Join them into one list.`);
  return Object.fromEntries(given.map((one) => [one.name.value, valueFromASTUntyped(one.value)]));
}

/** Directives in extensions, as libraries for schemas in code write them: `{ name: arguments }`, or a list with `name` and `args`. */
function directivesIn(extensions: Values | undefined): readonly (readonly [name: string, values: Values])[] {
  const given = extensions?.['directives'] ?? {};
  if (Array.isArray(given)) return given.map(({ name, args }) => [name, args ?? {}]);
  return Object.entries(given).flatMap(([name, uses]) =>
    [uses].flat().map((values: Values | null | undefined) => [name, values ?? {}] as const),
  );
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
  for (const name of definitions.keys())
    for (const prefix of ['', 'federation__', ...links.map((link) => `${link.prefix}__`)]) names.set(prefix + name, name);
  for (const pair of links.flatMap((link) => link.imports)) {
    const [name, local] = pair.map((one) => one.replace('@', '')) as [DirectiveName, string];
    // A type may have the name of a directive.
    const isDirective = pair[1].startsWith('@');
    if (definitions.has(name)) names.set(local, name);
    else if (isDirective) names.delete(local);
  }
  return names;
}
