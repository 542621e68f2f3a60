import { GraphQLDirective, GraphQLString, Kind, parse, validate, visit } from 'graphql';
import type { DirectiveNode, DocumentNode, FragmentDefinitionNode, OperationDefinitionNode } from 'graphql';

import { getArgumentValues, isIncrementalDirective } from '../../executor/for-extensions.ts';
import { fragmentsOf } from '../../server/for-extensions.ts';
import type { ServerStartContext } from '../../server/index.ts';
import { inputSchemaOf } from './input-schema.ts';
import type { JSONSchema } from './json-schema.ts';
import { assertName } from './options.ts';
import type { MCPOptions, ToolOptions } from './options.ts';
import { outputSchemaOf } from './output-schema.ts';

/** One tool: a trusted document, and how clients see it. */
export interface Tool {
  readonly name: string;
  readonly documentId: string;
  /** Names of the variables that callers may send. */
  readonly variables: ReadonlySet<string>;
  /** Names of the variables that the server fills. */
  readonly hidden: ReadonlySet<string>;
  /** True for a mutation: a call that has run must not be repeated because its answer could not be sent. */
  readonly isMutation: boolean;
  readonly listed: ListedTool;
}

/** An element of the result of `tools/list`. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JSONSchema;
  readonly outputSchema: JSONSchema;
  readonly annotations: Readonly<Record<string, boolean>>;
}

/** The tools by name, in a Map because a client may send the name `__proto__`. */
export type Tools = ReadonlyMap<string, Tool>;

const directive: GraphQLDirective = /* @__PURE__ */ new GraphQLDirective({
  name: 'mcpTool',
  locations: [],
  args: { name: { type: GraphQLString }, title: { type: GraphQLString }, description: { type: GraphQLString } },
});

type Start = Pick<ServerStartContext, 'schema' | 'trustedDocuments'>;

/** Creates the tools. Throws an Error for a tool that could not be called, or that clients would refuse; with `report`, leaves it out. */
export function makeTools(options: MCPOptions, start: Start, report?: (error: unknown) => void): Tools {
  const chosen = Object.entries(options.tools ?? {});
  const texts = new Map(start.trustedDocuments().map(([id, { text }]) => [id, text]));
  const tools = new Map<string, Tool>();
  const names = new Set<string>();
  const leftOut: string[] = [];
  const add = (source: Source): void => {
    try {
      const tool = makeTool(options, start, source);
      if (tool === undefined) return;
      if (names.has(tool.name.toLowerCase()))
        throw new Error(`Expected each tool of mcp to have a unique name, got two named "${tool.name}".`);
      names.add(tool.name.toLowerCase());
      tools.set(tool.name, tool);
    } catch (error) {
      if (report === undefined) throw error;
      report(error);
      leftOut.push(source.text ?? '');
    }
  };
  const replaced = new Set(chosen.map(([, { document }]) => document));
  for (const [id, text] of texts) {
    // Parsing thousands of documents would take long.
    if (text.includes('@mcpTool') && !replaced.has(id)) add({ id, text });
  }
  for (const [name, tool] of chosen) add({ id: tool.document, text: texts.get(tool.document), name, ...tool });
  for (const variable of Object.keys(options.hidden ?? {}))
    if (![...tools.values()].some(({ hidden }) => hidden.has(variable)) && !leftOut.some((text) => text.includes(`$${variable}`)))
      throw new Error(`Expected hidden.${variable} of mcp to name a variable of a tool, but no tool has it.`);
  // The order is fixed, because clients cache prompts that contain the list.
  return new Map([...tools].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

interface Source extends Partial<ToolOptions> {
  readonly id: string;
  /** Undefined if there is no such document. */
  readonly text: string | undefined;
  /** Undefined: the document is a tool only if its operation has the directive. */
  readonly name?: string;
}

function makeTool({ hidden = {}, scalars = {} }: MCPOptions, { schema }: Start, source: Source): Tool | undefined {
  if (source.text === undefined)
    throw new Error(`Expected the tool "${source.name}" of mcp to name a trusted document, got the id "${source.id}".`);
  const document = parse(source.text);
  // The text may have the directive's name in a comment or a string.
  if (source.name === undefined && !document.definitions.some((node) => node.kind === Kind.OPERATION_DEFINITION && directiveOf(node)))
    return undefined;
  const place = `The trusted document "${source.id}"`;
  const operation = onlyOperation(document, place);
  const [invalid] = validate(schema, document);
  if (invalid !== undefined) throw new Error(`${place} cannot be a tool: ${invalid.message}`);
  const node = directiveOf(operation);
  const given: Given = node === undefined ? {} : getArgumentValues(directive as never, node as never);
  const name = source.name ?? given.name ?? snakeCase(operation.name?.value ?? '');
  assertName(name, place);
  const fragments = fragmentsOf(document) as ReadonlyMap<string, FragmentDefinitionNode>;
  const description = source.description ?? given.description ?? descriptionOf(operation, schema);
  if (description === undefined || description === '')
    throw new Error(`The tool "${name}" of mcp needs a description: models choose tools by it. Write @mcpTool(description: "…").`);
  const title = source.title ?? given.title;
  const isQuery = operation.operation === 'query';
  const variables = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const hiddenNames = new Set(variables.filter((one) => Object.hasOwn(hidden, one)));
  return {
    name,
    documentId: source.id,
    variables: new Set(variables.filter((one) => !hiddenNames.has(one))),
    hidden: hiddenNames,
    isMutation: !isQuery,
    listed: {
      name,
      ...(title !== undefined && { title }),
      description,
      inputSchema: inputSchemaOf({ schema, document, operation, scalars, hidden: hiddenNames }),
      outputSchema: outputSchemaOf({ schema, fragments, scalars }, operation),
      annotations: {
        readOnlyHint: source.readOnly ?? isQuery,
        destructiveHint: source.destructive ?? !isQuery,
        idempotentHint: source.idempotent ?? (isQuery || hasKey(operation, hiddenNames)),
      },
    },
  };
}

function onlyOperation(document: DocumentNode, place: string): OperationDefinitionNode {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const [operation] = operations;
  if (operation === undefined || operations.length > 1)
    throw new Error(`${place} cannot be a tool: expected one operation, got ${operations.length}.`);
  if (operation.operation === 'subscription')
    throw new Error(`${place} cannot be a tool: a tool has one answer, and this is a subscription.`);
  visit(document, {
    Field({ name }) {
      if (/^__(?:schema|type)$/.test(name.value)) throw new Error(`${place} cannot be a tool: it selects ${name.value}.`);
    },
    Directive({ name }) {
      if (isIncrementalDirective(name.value)) throw new Error(`${place} cannot be a tool: a tool has one answer, without @${name.value}.`);
    },
  });
  return operation;
}

/** True if the caller sends the key of `@idempotent`, so that a second call has no effect. A hidden key may differ for each call. */
function hasKey({ selectionSet }: OperationDefinitionNode, hidden: ReadonlySet<string>): boolean {
  const keys = selectionSet.selections.flatMap(({ directives = [] }) => directives.filter(({ name }) => name.value === 'idempotent'));
  return keys.some(({ arguments: given = [] }) => given.some(({ value }) => value.kind === Kind.VARIABLE && !hidden.has(value.name.value)));
}

type Given = Readonly<Partial<Record<'name' | 'title' | 'description', string>>>;

function directiveOf(operation: OperationDefinitionNode): DirectiveNode | undefined {
  return operation.directives?.find(({ name }) => name.value === 'mcpTool');
}

/** Returns the description of the operation, which graphql 16.15 and 17 parse, or else that of its first field. */
function descriptionOf(operation: OperationDefinitionNode, schema: Start['schema']): string | undefined {
  const { description } = operation as { readonly description?: { readonly value: string } };
  if (description !== undefined) return description.value;
  const field = operation.selectionSet.selections.find((selection) => selection.kind === Kind.FIELD);
  return (field && schema.getRootType(operation.operation)?.getFields()[field.name.value]?.description) ?? undefined;
}

function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}
