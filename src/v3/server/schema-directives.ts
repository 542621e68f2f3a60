import { getDirectiveValues, isEnumType, isInputObjectType, isInterfaceType, isObjectType, isScalarType, isUnionType } from 'graphql';
import type { ConstDirectiveNode, GraphQLNamedType, GraphQLSchema } from 'graphql';

/**
 * The base class of version 2's schema directives. A subclass has a method for each location, such as
 * `visitFieldDefinition(field)`, and changes the element it is given.
 */
export class SchemaDirectiveVisitor<TArgs = any, TContext = any> {
  readonly name: string;
  readonly args: TArgs;
  readonly visitedType: any;
  readonly schema: GraphQLSchema;
  readonly context: TContext;

  constructor(config: { name: string; args: TArgs; visitedType: unknown; schema: GraphQLSchema; context: TContext }) {
    this.name = config.name;
    this.args = config.args;
    this.visitedType = config.visitedType;
    this.schema = config.schema;
    this.context = config.context;
  }
}

type VisitorClass = new (config: object) => Record<string, ((element: unknown, details?: object) => unknown) | undefined>;

/** An element of a schema that can have directives. */
interface Element {
  readonly astNode?: { readonly directives?: readonly ConstDirectiveNode[] | undefined } | null | undefined;
}

/** The arguments of a visitor's method: the element, and its parents. */
type Visited = readonly [element: Element, details?: object];

interface Visit {
  readonly schema: GraphQLSchema;
  readonly classes: Readonly<Record<string, VisitorClass>>;
}

/** Runs the visitors of version 2's `schemaDirectives` over the schema, in place. */
export function visitSchemaDirectives(schema: GraphQLSchema, classes: Readonly<Record<string, any>>): void {
  const visit: Visit = { schema, classes };
  apply(visit, 'visitSchema', [schema]);
  for (const type of Object.values(schema.getTypeMap())) if (!type.name.startsWith('__')) visitType(visit, type);
}

function visitType(visit: Visit, type: GraphQLNamedType): void {
  if (isScalarType(type)) apply(visit, 'visitScalar', [type]);
  if (isUnionType(type)) apply(visit, 'visitUnion', [type]);
  if (isObjectType(type) || isInterfaceType(type)) {
    apply(visit, isObjectType(type) ? 'visitObject' : 'visitInterface', [type]);
    for (const field of Object.values(type.getFields())) {
      apply(visit, 'visitFieldDefinition', [field, { objectType: type }]);
      for (const argument of field.args) apply(visit, 'visitArgumentDefinition', [argument, { field, objectType: type }]);
    }
  }
  if (isEnumType(type)) {
    apply(visit, 'visitEnum', [type]);
    for (const value of type.getValues()) apply(visit, 'visitEnumValue', [value, { enumType: type }]);
  }
  if (isInputObjectType(type)) {
    apply(visit, 'visitInputObject', [type]);
    for (const field of Object.values(type.getFields())) apply(visit, 'visitInputFieldDefinition', [field, { objectType: type }]);
  }
}

function apply({ schema, classes }: Visit, method: string, [element, details]: Visited): void {
  for (const directive of element.astNode?.directives ?? []) {
    const name = directive.name.value;
    const Visitor = Object.hasOwn(classes, name) ? classes[name] : undefined;
    if (typeof Visitor?.prototype[method] !== 'function') continue;
    const definition = schema.getDirective(name);
    if (!definition) throw new Error(`The schema directive @${name} has a class, but no definition: write \`directive @${name} on …\`.`);
    const visitor = new Visitor({
      name,
      args: getDirectiveValues(definition, element.astNode!) ?? {},
      visitedType: element,
      schema,
      context: undefined,
    });
    const replaced = visitor[method]!(element, details);
    if (replaced !== undefined && replaced !== element)
      throw new Error(
        `The schema directive @${name} returns another element from ${method}. Change the one it is given, as \`field.resolve = …\`.`,
      );
  }
}
