import {
  GraphQLSchema,
  introspectionTypes,
  isInterfaceType,
  isObjectType,
  isUnionType,
  KnownTypeNamesRule,
  OperationTypeNode,
  specifiedRules,
} from 'graphql';
import type {
  GraphQLAbstractType,
  GraphQLDirective,
  GraphQLInterfaceType,
  GraphQLNamedType,
  GraphQLObjectType,
  SchemaDefinitionNode,
  SchemaExtensionNode,
  ASTVisitor,
  NamedTypeNode,
  ValidationContext,
  ValidationRule,
} from 'graphql';

import { defineLazy, lazyRecord } from './lazy-property.ts';
import { LazyTypes } from './lazy-types.ts';
import type { MergedResolvers } from '../resolvers/merge-resolvers.ts';
import { parseDefinition } from '../sdl/parse-sdl.ts';
import type { RootNames, SchemaIndex } from '../sdl/schema-index.ts';

type TypeMap = ReturnType<GraphQLSchema['getTypeMap']>;
type Implementations = ReturnType<GraphQLSchema['getImplementations']>;

/**
 * A schema that makes a type when it is first asked for, and is in all other ways the schema that
 * graphql-js builds from the same text.
 *
 * Why: a cold function answers one small operation, which touches ten types. To its answer a cold process
 * spends, with 300 types, 23 ms of CPU with this schema, 149 with `buildSchema` and 232 with
 * `makeExecutableSchema`; with 3,000 types 58, 717 and 1,390 (Node 24, graphql 17; bench/cold-schema.ts).
 *
 * How: graphql-js reads a schema through its methods, so a subclass that overrides them is enough; nothing
 * private is used. Who enumerates the types (introspection, printSchema, extendSchema, mapSchema) gets the
 * map of an ordinary GraphQLSchema made from all types, in graphql-js's order.
 */
export class LazySchema extends GraphQLSchema {
  readonly #index: SchemaIndex;
  readonly #types: LazyTypes;
  // Every operation asks for its root: found once, it takes a tenth less time to answer the smallest.
  #query: GraphQLObjectType | undefined;
  #mutation: GraphQLObjectType | undefined;
  #subscription: GraphQLObjectType | undefined;
  #implementers: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  #directives: readonly GraphQLDirective[] | undefined;
  #whole: GraphQLSchema | undefined;
  #typeMap: TypeMap | undefined;

  /** `directives` are part of the schema unless the text defines others of their names. */
  constructor(index: SchemaIndex, resolvers: Pick<MergedResolvers, 'get'>, directives: readonly GraphQLDirective[] = []) {
    // Checked in development, in tests and by `graphql-functions check`; nothing is enumerated here for it.
    super({ assumeValid: true, types: onlyOnce(introspectionTypes[0] as GraphQLNamedType), directives: [] });
    this.#index = index;
    this.#types = new LazyTypes(index, resolvers, directives);
    defineLazy(this, 'description', () => this.astNode?.description?.value);
    defineLazy(this, 'astNode', () => index.schema && (parseDefinition(index, index.schema) as SchemaDefinitionNode));
    defineLazy(this, 'extensionASTNodes', () => index.schemaExtensions.map((at) => parseDefinition(index, at) as SchemaExtensionNode));
  }

  override getQueryType(): GraphQLObjectType | undefined {
    return (this.#query ??= this.#findRoot('query'));
  }

  override getMutationType(): GraphQLObjectType | undefined {
    return (this.#mutation ??= this.#findRoot('mutation'));
  }

  override getSubscriptionType(): GraphQLObjectType | undefined {
    return (this.#subscription ??= this.#findRoot('subscription'));
  }

  override getRootType(operation: OperationTypeNode): GraphQLObjectType | undefined {
    // Not by its name: to look one of several up in an object takes longer than all three comparisons.
    if (operation === OperationTypeNode.QUERY) return this.getQueryType();
    return operation === OperationTypeNode.MUTATION ? this.getMutationType() : this.getSubscriptionType();
  }

  override getType(name: string): GraphQLNamedType | undefined {
    return this.#whole ? this.#whole.getType(name) : this.#types.get(name);
  }

  override getTypeMap(): TypeMap {
    return this.#whole ? this.#whole.getTypeMap() : (this.#typeMap ??= this.#lazyTypeMap());
  }

  override getDirectives(): readonly GraphQLDirective[] {
    return (this.#directives ??= this.#types.directives());
  }

  /** How much of it has been made so far, for explaining an operation. */
  get progress(): LazyTypes['progress'] {
    return this.#types.progress;
  }

  /** In the order of the text, until something has enumerated the schema; then in graphql-js's. */
  override getImplementations(interfaceType: GraphQLInterfaceType): Implementations {
    if (this.#whole) return this.#whole.getImplementations(interfaceType);
    const names = [...this.#implementersOf(interfaceType.name)];
    const types = names.map((name) => this.#types.lookUp(name, 'the schema'));
    return { objects: types.filter(isObjectType), interfaces: types.filter(isInterfaceType) };
  }

  /** By name, without making the types that implement the interface: execution asks for every object it completes. */
  override isSubType(abstractType: GraphQLAbstractType, maybeSubType: GraphQLObjectType | GraphQLInterfaceType): boolean {
    if (isUnionType(abstractType)) return super.isSubType(abstractType, maybeSubType);
    return this.#implementersOf(abstractType.name).has(maybeSubType.name);
  }

  /** A copy is checked when it is used, as a schema made from another usually is: what was added may be wrong. */
  override toConfig(): ReturnType<GraphQLSchema['toConfig']> {
    return { ...super.toConfig(), assumeValid: false };
  }

  #implementersOf(interfaceName: string): ReadonlySet<string> {
    this.#implementers ??= implementersByInterface(this.#index);
    return this.#implementers.get(interfaceName) ?? nobody;
  }

  #findRoot(operation: keyof RootNames): GraphQLObjectType | undefined {
    const name = this.#index.roots[operation];
    return name === undefined ? undefined : (this.getType(name) as GraphQLObjectType | undefined);
  }

  /**
   * The type map as validation uses it: asked for single names, it makes single types. graphql-js's order of
   * the names is only known when all types are there, so listing or changing them takes the real map.
   */
  #lazyTypeMap(): TypeMap {
    return lazyRecord(
      Object.create(null) as TypeMap,
      (name) => this.getType(name),
      () => this.#materialise().getTypeMap(),
    );
  }

  #materialise(): GraphQLSchema {
    this.#whole ??= new GraphQLSchema({
      assumeValid: true,
      query: this.getQueryType(),
      mutation: this.getMutationType(),
      subscription: this.getSubscriptionType(),
      types: this.#types.all(),
      directives: this.getDirectives(),
    });
    return this.#whole;
  }
}

/**
 * A list of one type that is empty when it is read again.
 *
 * GraphQLSchema's constructor walks through all of introspection and the standard directives: 1.2 ms of CPU in a cold
 * process, for methods that are all overridden here. It stops at a type that is in its set already, makes the set of `types`,
 * and reads `types` a second time to walk from there: from nothing. If a version reads it otherwise, it walks as before.
 */
function onlyOnce(type: GraphQLNamedType): GraphQLNamedType[] {
  const types: GraphQLNamedType[] = [];
  const left = [type];
  types[Symbol.iterator] = (): ArrayIterator<GraphQLNamedType> => left.splice(0)[Symbol.iterator]();
  return types;
}

const nobody: ReadonlySet<string> = new Set();

function implementersByInterface({ types }: SchemaIndex): Map<string, Set<string>> {
  const implementers = new Map<string, Set<string>>();
  for (const { name, interfaces } of types.values()) {
    for (const implemented of interfaces) {
      const names = implementers.get(implemented) ?? new Set();
      implementers.set(implemented, names.add(name));
    }
  }
  return implementers;
}

/**
 * graphql-js's rules for documents, and its results, without making a lazy schema whole.
 *
 * graphql 16's KnownTypeNamesRule lists every type of the schema before it looks at the document, and so
 * builds them all for the first request: 104 ms of CPU at 300 types in place of 21 (bench/cold-schema.ts).
 */
export const specifiedRulesForLazySchema: readonly ValidationRule[] = /* @__PURE__ */ specifiedRules.map((rule) =>
  rule === KnownTypeNamesRule ? LazyKnownTypeNamesRule : rule,
);

/** Asks for each type by its name, and leaves the error, with its suggestions, to graphql-js's rule. */
function LazyKnownTypeNamesRule(context: ValidationContext): ASTVisitor {
  let rule: { NamedType: (node: NamedTypeNode, ...where: unknown[]) => void } | undefined;
  return {
    NamedType(node: NamedTypeNode, ...where): void {
      if (context.getSchema().getType(node.name.value) !== undefined) return;
      rule ??= KnownTypeNamesRule(context) as unknown as typeof rule;
      rule?.NamedType(node, ...where);
    },
  };
}
