import { getNamedType, isInterfaceType, isObjectType, valueFromASTUntyped } from 'graphql';
import type { ConstDirectiveNode, GraphQLField, GraphQLNamedType, GraphQLObjectType, GraphQLSchema } from 'graphql';

import { isRecord, isScope } from '../../shared/index.ts';
import type { RightsRule } from '../../shared/index.ts';
import { federationNames } from '../subgraph/index.ts';

export type MaybePromise<T> = T | Promise<T>;

type DirectiveName = 'authenticated' | 'requiresScopes' | 'policy';

/** The directives by their names in federation's specification, with what they define. */
export const definitions: ReadonlyMap<DirectiveName, string> = new Map(
  (
    [
      ['authenticated', ''],
      ['requiresScopes', '(scopes: [[String!]!]!)'],
      ['policy', '(policies: [[String!]!]!)'],
    ] as const
  ).map(([name, given]) => [name, `directive @${name}${given} on OBJECT | INTERFACE | FIELD_DEFINITION | SCALAR | ENUM`]),
);

/** Anything that has rules. */
type Place = GraphQLNamedType | GraphQLField<unknown, unknown>;

/** The rules of one schema, each read when it is first needed, because the types of the schema are made lazily. */
export class Rules {
  readonly #policies: object;
  readonly #names: ReadonlyMap<string, DirectiveName>;
  /** Equal rules are the same object, so that those of a thousand types count once. */
  readonly #all = new Map<string, RightsRule>();
  readonly #ofPlaces = new Map<Place, readonly RightsRule[]>();
  readonly #ofFields = new Map<GraphQLField<unknown, unknown>, readonly RightsRule[]>();
  readonly #ofTypes = new Map<GraphQLNamedType, readonly RightsRule[]>();

  constructor(schema: GraphQLSchema, policies: object) {
    this.#policies = policies;
    this.#names = directiveNames(schema);
  }

  /** The rules of a type and of its interfaces. Throws an Error for a wrong one. */
  ofType(type: GraphQLNamedType): readonly RightsRule[] {
    let rules = this.#ofTypes.get(type);
    if (rules === undefined) {
      rules = this.#of(type, type.name);
      if (isObjectType(type) || isInterfaceType(type))
        rules = [...new Set([...rules, ...type.getInterfaces().flatMap((one) => this.ofType(one))])];
      this.#ofTypes.set(type, rules);
    }
    return rules;
  }

  /** The rules of a field, of the same field in the interfaces of its type, and of the type that it returns. */
  ofField(type: GraphQLObjectType, field: GraphQLField<unknown, unknown>): readonly RightsRule[] {
    let rules = this.#ofFields.get(field);
    if (rules === undefined) {
      const inherited = type.getInterfaces().flatMap((one) => {
        const same = one.getFields()[field.name];
        return same === undefined ? [] : this.#of(same, `${one.name}.${field.name}`);
      });
      rules = [...this.#of(field, `${type.name}.${field.name}`), ...inherited, ...this.ofType(getNamedType(field.type))];
      this.#ofFields.set(field, rules);
    }
    return rules;
  }

  /** All rules in the order of the schema, once each. `report` gets the error of each wrong rule. */
  inOrder(schema: GraphQLSchema, report: (error: unknown) => void): readonly RightsRule[] {
    const found = new Set<RightsRule>();
    const read = (place: Place, name: string): void => {
      try {
        for (const rule of this.#of(place, name)) found.add(rule);
      } catch (error) {
        report(error);
      }
    };
    for (const type of Object.values(schema.getTypeMap())) {
      read(type, type.name);
      if (isObjectType(type) || isInterfaceType(type))
        for (const field of Object.values(type.getFields())) read(field, `${type.name}.${field.name}`);
    }
    return [...found];
  }

  #of(place: Place, name: string): readonly RightsRule[] {
    let rules = this.#ofPlaces.get(place);
    if (rules === undefined) this.#ofPlaces.set(place, (rules = this.#read(place, name).map((rule) => this.#same(rule))));
    return rules;
  }

  /** A type has rules in its extensions, too: `extend type`. */
  #read(place: Place, name: string): readonly RightsRule[] {
    const nodes = [place.astNode, ...('extensionASTNodes' in place ? (place.extensionASTNodes ?? []) : [])];
    const written = nodes.flatMap((node) => (node?.directives ?? []).flatMap((one) => this.#readDirective(one, name)));
    const given: unknown = place.extensions?.['authorization'];
    if (given === undefined) return written;
    const where = `extensions.authorization of ${name}`;
    const rules = isRecord(given) ? this.#check(given, where) : [];
    if (rules.length === 0) throw new Error(`Expected ${where} to be an object with authenticated, scopes or policies.`);
    return [...written, ...rules];
  }

  #readDirective({ name, arguments: given = [] }: ConstDirectiveNode, place: string): readonly RightsRule[] {
    const directive = this.#names.get(name.value);
    if (directive === undefined) return [];
    const values = Object.fromEntries(given.map((one) => [one.name.value, valueFromASTUntyped(one.value)]));
    const where = `@${name.value} of ${place}`;
    const argument = { authenticated: undefined, requiresScopes: 'scopes', policy: 'policies' }[directive];
    const wrong = Object.keys(values).find((one) => one !== argument);
    if (wrong !== undefined) throw new Error(`Expected ${where} to have ${argument ?? 'no arguments'}, got "${wrong}".`);
    if (argument === undefined) return [{ authenticated: true }];
    if (values[argument] === undefined) throw new Error(`Expected ${where} to have the argument ${argument}.`);
    return this.#check(values, where);
  }

  /** The rules of an object, one for each member. */
  #check(given: Readonly<Record<string, unknown>>, where: string): readonly RightsRule[] {
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

/**
 * The directives by their names in this schema: those of federation's specification, unless a link gives that name to another directive,
 * and those that links give.
 */
function directiveNames({ astNode, extensionASTNodes }: GraphQLSchema): ReadonlyMap<string, DirectiveName> {
  const schemas = [astNode, ...extensionASTNodes].filter((node) => node !== null && node !== undefined);
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
