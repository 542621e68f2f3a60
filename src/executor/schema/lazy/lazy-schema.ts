import {
  GraphQLSchema,
  isInterfaceType,
  isObjectType,
  isUnionType,
  KnownTypeNamesRule,
  type OperationTypeNode,
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
  UnionTypeDefinitionNode,
  ValidationContext,
  ValidationRule,
} from 'graphql';

import { defineLazy, lazyRecord } from './lazy-property.ts';
import { LazyTypes } from './lazy-types.ts';
import type { MergedResolvers } from '../resolvers/merge-resolvers.ts';
import { parseDefinition } from '../sdl/parse-sdl.ts';
import { partsOf } from '../sdl/schema-index.ts';
import type { RootNames, SchemaIndex } from '../sdl/schema-index.ts';
import { getOrCreate } from '../../../shared/index.ts';

type TypeMap = ReturnType<GraphQLSchema['getTypeMap']>;
type Implementations = ReturnType<GraphQLSchema['getImplementations']>;

/**
 * A schema that creates types when they are first used, otherwise equal to the one that graphql-js builds from the same text.
 *
 * A small operation uses ten types. With 300 types its answer takes a cold process 23 ms of CPU with this schema, 149 with
 * `buildSchema` and 232 with `makeExecutableSchema`; with 3,000 types 58, 717 and 1,390 (Node 24, graphql 17).
 *
 * A subclass, because graphql-js reads a schema through its methods. Code that enumerates the types (introspection, printSchema,
 * extendSchema, mapSchema) gets the map of an ordinary GraphQLSchema with all types, in graphql-js's order.
 */
export class LazySchema extends GraphQLSchema {
  readonly #index: SchemaIndex;
  readonly #types: LazyTypes;
  // Finding the root type each time takes a tenth of the smallest operation.
  readonly #roots: Partial<Record<OperationTypeNode, GraphQLObjectType | undefined>> = {};
  readonly #members = new Map<string, ReadonlySet<string>>();
  #implementers: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  #directives: readonly GraphQLDirective[] | undefined;
  #whole: GraphQLSchema | undefined;
  #typeMap: TypeMap | undefined;

  /** `directives` are part of the schema unless the text defines others of their names. */
  constructor(index: SchemaIndex, resolvers: Pick<MergedResolvers, 'get'>, directives: readonly GraphQLDirective[] = []) {
    // Development, tests and `graphql-functions check` validate the whole schema.
    super({ assumeValid: true, directives: [] });
    this.#index = index;
    this.#types = new LazyTypes(index, resolvers, directives);
    defineLazy(this, 'description', () => this.astNode?.description?.value);
    defineLazy(this, 'astNode', () => index.schema && (parseDefinition(index, index.schema) as SchemaDefinitionNode));
    defineLazy(this, 'extensionASTNodes', () => index.schemaExtensions.map((at) => parseDefinition(index, at) as SchemaExtensionNode));
  }

  override getQueryType(): GraphQLObjectType | undefined {
    return this.getRootType('query');
  }

  override getMutationType(): GraphQLObjectType | undefined {
    return this.getRootType('mutation');
  }

  override getSubscriptionType(): GraphQLObjectType | undefined {
    return this.getRootType('subscription');
  }

  override getRootType(operation: OperationTypeNode): GraphQLObjectType | undefined {
    return (this.#roots[operation] ??= this.#findRoot(operation));
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

  /** Lists types in the order of the text until the schema has been enumerated, then in the order of graphql-js. */
  override getImplementations(interfaceType: GraphQLInterfaceType): Implementations {
    if (this.#whole) return this.#whole.getImplementations(interfaceType);
    const names = [...this.#implementersOf(interfaceType.name)];
    const types = names.map((name) => this.#types.lookUp(name, 'the schema'));
    return { objects: types.filter(isObjectType), interfaces: types.filter(isInterfaceType) };
  }

  /** Compares names, so that the other types of the interface or union are not created. */
  override isSubType(abstractType: GraphQLAbstractType, maybeSubType: GraphQLObjectType | GraphQLInterfaceType): boolean {
    const { name } = abstractType;
    return (isUnionType(abstractType) ? this.#membersOf(name) : this.#implementersOf(name)).has(maybeSubType.name);
  }

  /** Copies are validated, because they may have invalid additions. */
  override toConfig(): ReturnType<GraphQLSchema['toConfig']> {
    return { ...super.toConfig(), assumeValid: false };
  }

  #implementersOf(interfaceName: string): ReadonlySet<string> {
    this.#implementers ??= implementersByInterface(this.#index);
    return this.#implementers.get(interfaceName) ?? noNames;
  }

  #membersOf(unionName: string): ReadonlySet<string> {
    return getOrCreate(this.#members, unionName, () => {
      const parts = partsOf(this.#index.types.get(unionName)!).map((at) => parseDefinition(this.#index, at) as UnionTypeDefinitionNode);
      return new Set(parts.flatMap(({ types = [] }) => types.map((type) => type.name.value)));
    });
  }

  #findRoot(operation: keyof RootNames): GraphQLObjectType | undefined {
    const name = this.#index.roots[operation];
    return name === undefined ? undefined : (this.getType(name) as GraphQLObjectType | undefined);
  }

  /** Creates single types for single names. Listing needs all types, because their order in graphql-js depends on all of them. */
  #lazyTypeMap(): TypeMap {
    return lazyRecord(
      Object.create(null) as TypeMap,
      (name) => this.getType(name),
      () => this.#buildWhole().getTypeMap(),
    );
  }

  #buildWhole(): GraphQLSchema {
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

const noNames: ReadonlySet<string> = new Set();

function implementersByInterface({ types }: SchemaIndex): Map<string, Set<string>> {
  const implementers = new Map<string, Set<string>>();
  for (const { name, interfaces } of types.values())
    for (const implemented of interfaces) getOrCreate(implementers, implemented, () => new Set<string>()).add(name);
  return implementers;
}

/**
 * graphql-js's validation rules, with one replacement: graphql 16's KnownTypeNamesRule lists every type of the schema, and so builds
 * them all for the first request (104 ms of CPU with 300 types instead of 21).
 */
export const specifiedRulesForLazySchema: readonly ValidationRule[] = /* @__PURE__ */ specifiedRules.map((rule) =>
  rule === KnownTypeNamesRule ? LazyKnownTypeNamesRule : rule,
);

/** Looks up each type by name, and leaves the error with its suggestions to graphql-js's rule. */
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
