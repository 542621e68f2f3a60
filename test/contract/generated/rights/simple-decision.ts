/**
 * A decision that is as simple as it can be, for the test of the test: it takes exponential time, needs the first place in the list of
 * plugins, and refuses no wrong rule. With a hole it makes the mistake of that name.
 */
import { GraphQLError, Kind, getNamedType, isAbstractType, isInterfaceType, isLeafType, isObjectType, valueFromASTUntyped } from 'graphql';
import type {
  ConstDirectiveNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLField,
  GraphQLNamedType,
  GraphQLObjectType,
  GraphQLSchema,
  OperationDefinitionNode,
  SelectionNode,
  SelectionSetNode,
} from 'graphql';

import type { OperationExecution, ServerPlugin } from '../../../../src/entries/index.ts';
import type { Rule } from './model.ts';
import type { CreateRights } from './serving.ts';

/** Mistakes that decisions make. A few cases show the first nine. */
export const holes = [
  'types of implementations are forgotten',
  '@include is ignored',
  'an empty selection needs nothing',
  'a rule on `extend type` is forgotten',
  'a renamed directive is forgotten',
  'variables in literals of _entities are forgotten',
  'a variable that is null leaves out',
  'conditions of the first request are kept',
  'fields of interfaces are forgotten',
  '__typename needs nothing',
  'one scope of an alternative is enough',
  'nobody has an empty list of scopes',
  'a prefixed directive is forgotten',
  'a fragment counts once',
  'an empty selection on an interface needs nothing',
  '`extensions` are forgotten',
  'a directive is forgotten beside `extensions`',
  'representations of _entities are forgotten',
  'defaults of variables of _entities are forgotten',
  'an interface in _entities is forgotten',
  'interfaces of a type are forgotten',
  'the root type is forgotten',
  'enums and scalars are forgotten',
  'a type is read from the field of the interface',
  'only the innermost type condition counts',
  'the outer list is AND',
  'an empty outer list allows everybody',
  'the first operation of the document is read',
  'a policy may return anything truthy',
  'a policy that fails allows',
  '_service needs its root type',
  'introspection needs its root type',
  'types of arguments count',
  'a mutation is read up to its first field',
  'an alias hides a field',
  'fragments with @defer are forgotten',
] as const;

export type Hole = (typeof holes)[number];

const definitions = `
  directive @authenticated on OBJECT | INTERFACE | FIELD_DEFINITION | SCALAR | ENUM
  directive @requiresScopes(scopes: [[String!]!]!) on OBJECT | INTERFACE | FIELD_DEFINITION | SCALAR | ENUM
  directive @policy(policies: [[String!]!]!) on OBJECT | INTERFACE | FIELD_DEFINITION | SCALAR | ENUM
`;

/** `holeNow` returns the mistake to make at this time. */
export function simpleRights(holeNow: () => Hole | undefined = () => undefined): CreateRights {
  return ({ claims, policies }): ServerPlugin => {
    /** For the hole of that name. */
    const kept = new WeakMap<OperationDefinitionNode, ReadonlySet<object>>();
    return {
      onlyWatches: true,
      position: 'first',
      schemaWillBuild: ({ typeDefs }) => {
        const isText = typeof typeDefs === 'string' && !/specs\.apollo\.dev\/federation|directive @authenticated/.test(typeDefs);
        return isText ? { typeDefs: definitions + typeDefs } : undefined;
      },
      async execution(execution, next) {
        const hole = holeNow();
        const found = kept.get(execution.operation);
        const needed =
          hole === 'conditions of the first request are kept' && found !== undefined ? found : new Needs(execution, hole).find();
        kept.set(execution.operation, needed);
        const order = placesOf(execution.schema);
        const places = [...needed].toSorted((one, other) => order.indexOf(one) - order.indexOf(other));
        const rules = places.flatMap((place) => new Rules(execution.schema, hole).of(place));
        if (rules.length > 0) await assertAllowed(rules, { claims, policies, context: execution.contextValue, hole });
        return next();
      },
    };
  };
}

/** Anything with rules. */
type Place = GraphQLNamedType | GraphQLField<unknown, unknown>;

/** All places of a schema, in its order. */
function placesOf(schema: GraphQLSchema): readonly object[] {
  const known = placesBySchema.get(schema);
  if (known !== undefined) return known;
  const places: object[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    places.push(type);
    if (isObjectType(type) || isInterfaceType(type)) places.push(...Object.values(type.getFields()));
  }
  placesBySchema.set(schema, places);
  return places;
}

const placesBySchema = new WeakMap<GraphQLSchema, readonly object[]>();

/** The places that an operation needs. */
class Needs {
  readonly #schema: GraphQLSchema;
  readonly #execution: OperationExecution;
  readonly #hole: Hole | undefined;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #seen = new Set<string>();
  readonly #needed = new Set<Place>();

  constructor(execution: OperationExecution, hole: Hole | undefined) {
    this.#schema = execution.schema;
    this.#execution = execution;
    this.#hole = hole;
    for (const one of execution.document.definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(one.name.value, one);
  }

  find(): ReadonlySet<Place> {
    const { document, operation } = this.#execution;
    const first = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION);
    const node = this.#hole === 'the first operation of the document is read' ? (first as OperationDefinitionNode) : operation;
    this.#selections(node.selectionSet, this.#schema.getRootType(node.operation)!);
    return this.#needed;
  }

  /** Adds what the selections need if the object has this type. `certain` are the other types of the field, for holes. */
  #selections({ selections }: SelectionSetNode, type: GraphQLObjectType): void {
    const isMutation = type === this.#schema.getMutationType();
    for (const selection of selections) {
      if (!this.#isIncluded(selection)) continue;
      if (selection.kind === Kind.FIELD) this.#field(selection, type);
      else this.#fragment(selection, type);
      if (isMutation && this.#hole === 'a mutation is read up to its first field') return;
    }
  }

  #fragment(selection: Exclude<SelectionNode, FieldNode>, type: GraphQLObjectType): void {
    if (this.#hole === 'fragments with @defer are forgotten' && selection.directives?.some(({ name }) => name.value === 'defer')) return;
    const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
    const { typeCondition, selectionSet } = isSpread ? this.#fragments.get(selection.name.value)! : selection;
    const condition = typeCondition === undefined ? type : this.#schema.getType(typeCondition.name.value)!;
    const isFirst = !isSpread || !this.#seen.has(selection.name.value);
    if (isSpread) this.#seen.add(selection.name.value);
    if (this.#hole === 'a fragment counts once' && !isFirst) return;
    if (isAbstractType(condition) && this.#hole === 'only the innermost type condition counts') {
      for (const one of this.#schema.getPossibleTypes(condition)) this.#selections(selectionSet, one);
      return;
    }
    if (condition === type || (isAbstractType(condition) && this.#schema.isSubType(condition, type))) this.#selections(selectionSet, type);
    else if (this.#hole === 'only the innermost type condition counts') this.#selections(selectionSet, condition as GraphQLObjectType);
  }

  #field(node: FieldNode, type: GraphQLObjectType): void {
    const name = node.name.value;
    if (this.#hole === 'an alias hides a field' && node.alias !== undefined) return;
    if (name === '__typename') return this.#hole === '__typename needs nothing' ? undefined : this.#type(type);
    if (name === '_service') return this.#hole === '_service needs its root type' ? this.#type(type) : undefined;
    if (name === '__schema' || name === '__type') return this.#hole === 'introspection needs its root type' ? this.#type(type) : undefined;
    const field = type.getFields()[name]!;
    const isRoot = type === this.#schema.getRootType(this.#execution.operation.operation);
    if (!isRoot || this.#hole !== 'the root type is forgotten') this.#type(type);
    this.#needed.add(field);
    const inherited = type.getInterfaces().map((one) => one.getFields()[name]);
    if (this.#hole !== 'fields of interfaces are forgotten') for (const one of inherited) if (one !== undefined) this.#needed.add(one);
    if (this.#hole === 'types of arguments count') for (const { type: of } of field.args) this.#needed.add(getNamedType(of));
    const isInherited = this.#hole === 'a type is read from the field of the interface';
    const target = getNamedType(((isInherited ? inherited.find((one) => one !== undefined) : undefined) ?? field).type);
    if (name === '_entities') return this.#entities(node);
    if (isLeafType(target)) return this.#hole === 'enums and scalars are forgotten' ? undefined : void this.#needed.add(target);
    const isForgotten =
      (isObjectType(target) && this.#hole === 'an empty selection needs nothing') ||
      (isInterfaceType(target) && this.#hole === 'an empty selection on an interface needs nothing');
    if (!isForgotten) this.#type(target);
    const types = isAbstractType(target) ? this.#schema.getPossibleTypes(target) : [target as GraphQLObjectType];
    if (this.#hole === 'types of implementations are forgotten' && isInterfaceType(target)) return this.#likeInterface(node, target);
    for (const one of types) this.#selections(node.selectionSet!, one);
  }

  /** The first prototype: fields on the interface itself need the rules of the interface. */
  #likeInterface(node: FieldNode, target: GraphQLNamedType): void {
    for (const selection of node.selectionSet!.selections) {
      if (selection.kind === Kind.FIELD && isInterfaceType(target)) {
        const field = target.getFields()[selection.name.value];
        if (field !== undefined) this.#needed.add(field);
      } else if (selection.kind === Kind.INLINE_FRAGMENT && selection.typeCondition !== undefined) {
        const type = this.#schema.getType(selection.typeCondition.name.value);
        if (isObjectType(type)) this.#selections(selection.selectionSet, type);
      }
    }
  }

  #entities(node: FieldNode): void {
    if (this.#hole === 'representations of _entities are forgotten') {
      for (const one of this.#schema.getPossibleTypes(this.#schema.getType('_Entity') as never)) this.#selections(node.selectionSet!, one);
      return;
    }
    const { value } = node.arguments!.find(({ name }) => name.value === 'representations')!;
    const hasDefault = value.kind === Kind.VARIABLE && this.#isFromDefault(value.name.value);
    if (hasDefault && this.#hole === 'defaults of variables of _entities are forgotten') return;
    const ignoresVariables = this.#hole === 'variables in literals of _entities are forgotten' && value.kind !== Kind.VARIABLE;
    const representations = [valueFromASTUntyped(value, ignoresVariables ? {} : (this.#execution.variableValues as never))].flat() as any[];
    for (const one of representations) {
      const type = typeof one?.__typename === 'string' ? this.#schema.getType(one.__typename) : undefined;
      if (!isObjectType(type) && !isInterfaceType(type)) continue;
      if (!isObjectType(type) && this.#hole === 'an interface in _entities is forgotten') continue;
      this.#type(type);
      for (const object of isAbstractType(type) ? this.#schema.getPossibleTypes(type) : [type as GraphQLObjectType]) {
        this.#type(object);
        this.#selections(node.selectionSet!, object);
      }
    }
  }

  #isFromDefault(name: string): boolean {
    return (this.#execution.request.variables as Record<string, unknown> | undefined)?.[name] === undefined;
  }

  #type(type: GraphQLNamedType): void {
    this.#needed.add(type);
    if (!isObjectType(type) && !isInterfaceType(type)) return;
    if (this.#hole !== 'interfaces of a type are forgotten') for (const one of type.getInterfaces()) this.#needed.add(one);
  }

  #isIncluded({ directives = [] }: SelectionNode): boolean {
    return directives.every(({ name, arguments: given = [] }) => {
      if (name.value === 'include' && this.#hole === '@include is ignored') return true;
      if (name.value !== 'skip' && name.value !== 'include') return true;
      const value = valueFromASTUntyped(given[0]!.value, this.#execution.variableValues as never);
      if (value === null) return this.#hole !== 'a variable that is null leaves out';
      return name.value === 'skip' ? value !== true : value === true;
    });
  }
}

/** Reads the rules of places. */
class Rules {
  readonly #names: Readonly<Record<'authenticated' | 'requiresScopes' | 'policy', string>>;
  readonly #hole: Hole | undefined;

  constructor(schema: GraphQLSchema, hole: Hole | undefined) {
    this.#hole = hole;
    const uses = [schema.astNode, ...schema.extensionASTNodes].flatMap((node) => node?.directives ?? []);
    const link = uses.map(argumentsOf).find(({ url }) => /specs\.apollo\.dev\/federation/.test(String(url)));
    const imports: any[] = link?.import ?? [];
    const nameOf = (name: string): string => {
      if (link === undefined) return name;
      const found = imports.find((one) => one === `@${name}` || one.name === `@${name}`);
      if (found === undefined) return hole === 'a prefixed directive is forgotten' ? name : `${link.as ?? 'federation'}__${name}`;
      return typeof found === 'string' || hole === 'a renamed directive is forgotten' ? name : (found.as?.slice(1) ?? name);
    };
    this.#names = { authenticated: nameOf('authenticated'), requiresScopes: nameOf('requiresScopes'), policy: nameOf('policy') };
  }

  of(place: any): readonly Rule[] {
    const hasExtensions = place.extensions?.authorization !== undefined;
    const own: Rule[] = hasExtensions && this.#hole !== '`extensions` are forgotten' ? [place.extensions.authorization] : [];
    if (hasExtensions && this.#hole === 'a directive is forgotten beside `extensions`') return own;
    const extended = this.#hole === 'a rule on `extend type` is forgotten' ? [] : (place.extensionASTNodes ?? []);
    const directives: ConstDirectiveNode[] = [place.astNode, ...extended].flatMap((node) => node?.directives ?? []);
    const { authenticated, requiresScopes, policy } = this.#names;
    return [
      ...own,
      ...directives.flatMap((directive): Rule[] => {
        if (directive.name.value === authenticated) return [{ authenticated: true }];
        if (directive.name.value === requiresScopes) return [{ scopes: argumentsOf(directive).scopes }];
        return directive.name.value === policy ? [{ policies: argumentsOf(directive).policies }] : [];
      }),
    ];
  }
}

function argumentsOf({ arguments: given = [] }: ConstDirectiveNode): Record<string, any> {
  return Object.fromEntries(given.map(({ name, value }) => [name.value, valueFromASTUntyped(value)]));
}

async function assertAllowed(
  rules: readonly Rule[],
  { claims, policies, context, hole }: Parameters<CreateRights>[0] & { readonly context: unknown; readonly hole: Hole | undefined },
): Promise<void> {
  const given = await claims({ context });
  if (given !== null && given !== undefined && !isListOfTexts(given)) throw new Error('Expected claims to return an array of strings.');
  const isNobody = hole === 'nobody has an empty list of scopes' ? false : given === null || given === undefined;
  const held = new Set(given as readonly string[] | undefined);
  const missing: string[] = [];
  const needed: string[] = [];
  let isRefused = false;
  for (const { authenticated, scopes } of rules) {
    if (authenticated === true && isNobody) isRefused = true;
    if (scopes === undefined) continue;
    const lacking = scopes.map((all) => ({ all, lacks: all.filter((scope) => !held.has(scope)) }));
    const [best] = lacking.toSorted((one, other) => one.lacks.length - other.lacks.length);
    missing.push(...(best?.lacks ?? []));
    needed.push(...(best?.all ?? []));
    const isMet =
      hole === 'one scope of an alternative is enough'
        ? scopes.some((all) => all.some((scope) => held.has(scope)))
        : hole === 'the outer list is AND'
          ? scopes.every((all) => all.every((scope) => held.has(scope)))
          : best === undefined
            ? hole === 'an empty outer list allows everybody'
            : best.lacks.length === 0 && !isNobody;
    if (!isMet) isRefused = true;
  }
  const refuse = (code: string): never => {
    const extensions = { code, missing: sorted(missing), needed: sorted(needed) };
    throw new GraphQLError('Not allowed.', { extensions });
  };
  if (isRefused) refuse(isNobody ? 'UNAUTHENTICATED' : 'FORBIDDEN');
  const answers = new Map<string, boolean>();
  const allows = async (name: string): Promise<boolean> => {
    const known = answers.get(name);
    if (known !== undefined) return known;
    const answer = await Promise.resolve({ context })
      .then(policies[name]!)
      .then(
        (value) => value === true || (hole === 'a policy may return anything truthy' && Boolean(value)),
        () => hole === 'a policy that fails allows',
      );
    answers.set(name, answer);
    return answer;
  };
  const isPossible = ({ policies: alternatives }: Rule): boolean =>
    alternatives === undefined || alternatives.some((all) => all.every((name) => answers.get(name) !== false));
  for (const { policies: alternatives } of rules) {
    if (alternatives === undefined) continue;
    for (const all of alternatives) {
      for (const name of all) {
        if (!rules.every(isPossible)) refuse('FORBIDDEN');
        if (!isPossible({ policies: [all] }) || !(await allows(name))) break;
      }
      if (all.every((name) => answers.get(name) === true)) break;
    }
  }
  if (!rules.every(isPossible)) refuse('FORBIDDEN');
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted();
}
