import { getNamedType, GraphQLDirective, introspectionTypes, specifiedDirectives, specifiedScalarTypes, visit } from 'graphql';
import type { DirectiveDefinitionNode, DirectiveExtensionNode, GraphQLNamedType, NamedTypeNode } from 'graphql';

import { createType } from './create-type.ts';
import type { TypeMaterial } from './create-type.ts';
import { didYouMean, getOrCreate } from '../../../shared/index.ts';
import { checkTypeResolvers } from '../resolvers/check-resolvers.ts';
import type { MergedResolvers } from '../resolvers/merge-resolvers.ts';
import { parseDefinition } from '../sdl/parse-sdl.ts';
import { isParsed } from '../sdl/location.ts';
import { partsOf } from '../sdl/schema-index.ts';
import type { SchemaIndex } from '../sdl/schema-index.ts';
import { mentions } from '../sdl/sdl-scanner.ts';
import { argumentConfigs, deprecationReason } from './type-configs.ts';
import type { TypeLookup } from './type-configs.ts';
import { TypeText } from './type-text.ts';

/** The types of an index, created when first used. */
export class LazyTypes {
  readonly #index: SchemaIndex;
  readonly #resolvers: Pick<MergedResolvers, 'get'>;
  readonly #builtIn: ReadonlyMap<string, GraphQLNamedType>;
  /** The directives of the specification and those that the server adds. */
  readonly #standardDirectives: readonly GraphQLDirective[];
  readonly #made = new Map<string, GraphQLNamedType>();
  readonly #isUsed = new Map<string, boolean>();

  constructor(index: SchemaIndex, resolvers: Pick<MergedResolvers, 'get'>, directives: readonly GraphQLDirective[]) {
    this.#index = index;
    this.#resolvers = resolvers;
    this.#standardDirectives = [...specifiedDirectives, ...directives];
    this.#builtIn = new Map([...specifiedScalarTypes, ...introspectionTypes].map((type) => [type.name, type]));
    // Types of their arguments belong to the schema even if the text does not use them.
    for (const type of directives.flatMap(({ args }) => args.map((one) => getNamedType(one.type)))) this.#made.set(type.name, type);
  }

  /** A type of the schema, as graphql-js's `getType` finds it. */
  get(name: string): GraphQLNamedType | undefined {
    const made = this.#made.get(name);
    if (made !== undefined) return made;
    const type = this.#create(name);
    // Unknown names are not cached: clients could fill the memory.
    if (type !== undefined) this.#made.set(name, type);
    return type;
  }

  /** A type that the text refers to. */
  readonly lookUp: TypeLookup = (name, usedIn) => {
    // A built-in scalar is part of the schema if something refers to it.
    const type = this.#builtIn.get(name) ?? this.get(name);
    if (type === undefined) {
      throw new Error(`typeDefs use the type "${name}" in ${usedIn}, but do not define it.${didYouMean(name, this.#index.types.keys())}`);
    }
    this.#made.set(name, type);
    return type;
  };

  /** All types of the text, in its order. */
  all(): GraphQLNamedType[] {
    return [...this.#index.types.keys()].map((name) => this.lookUp(name, 'the schema'));
  }

  /** Returns the directives of the text, then the standard directives that the text does not redefine. */
  directives(): GraphQLDirective[] {
    const extensions = this.#index.directiveExtensions.map((at) => parseDefinition(this.#index, at));
    const defined = this.#index.directives.map((at) => this.#createDirective(parseDefinition(this.#index, at), extensions));
    const names = new Set(defined.map(({ name }) => name));
    return [...defined, ...this.#standardDirectives.filter(({ name }) => !names.has(name))];
  }

  #create(name: string): GraphQLNamedType | undefined {
    const entry = this.#index.types.get(name);
    const standard = this.#builtIn.get(name);
    if (standard !== undefined) return entry !== undefined || this.#isPartOfSchema(name) ? standard : undefined;
    if (entry === undefined) return undefined;
    const resolvers = this.#resolvers.get(name);
    const check: TypeMaterial['check'] = (members) => {
      if (resolvers !== undefined) checkTypeResolvers({ entry, resolvers, index: this.#index, ...(members && { members }) });
    };
    return createType({ text: new TypeText(entry, this.#index), resolvers, lookUp: this.lookUp, check });
  }

  /** `Int`, `Float` and `ID` belong to the schema if typeDefs use them; introspection uses the other built-in types. */
  #isPartOfSchema(name: string): boolean {
    if (!['Int', 'Float', 'ID'].includes(name)) return true;
    // Cached, because the search reads all of the text.
    return getOrCreate(this.#isUsed, name, () => mentions(this.#index.text, name) || this.#isUsedInDocuments(name));
  }

  #isUsedInDocuments(name: string): boolean {
    let used = false;
    const use = (node: NamedTypeNode): void => void (used ||= node.name.value === name);
    const places = [...Array.from(this.#index.types.values(), partsOf).flat(), ...this.#index.directives];
    for (const place of places) if (isParsed(place)) visit(place, { NamedType: use });
    return used;
  }

  #createDirective(node: DirectiveDefinitionNode, allExtensions: readonly DirectiveExtensionNode[]): GraphQLDirective {
    const name = node.name.value;
    const extensionASTNodes = allExtensions.filter((extension) => extension.name.value === name);
    return new GraphQLDirective({
      name,
      description: node.description?.value,
      locations: node.locations.map(({ value }) => value) as never,
      isRepeatable: node.repeatable,
      args: argumentConfigs(node.arguments, `@${name}`, this.lookUp),
      deprecationReason: [node, ...extensionASTNodes].map(deprecationReason).find((reason) => reason !== undefined),
      astNode: node,
      extensionASTNodes,
    });
  }
}
