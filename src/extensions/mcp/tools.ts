import { DirectiveLocation, GraphQLDirective, GraphQLString } from 'graphql';
import type { DocumentNode, OperationDefinitionNode } from 'graphql';

import type { CheckedDocument, ServerStartContext } from '../../server/index.ts';
import { fragmentsOf } from '../../shared/index.ts';
import {
  descriptionOf,
  directiveValues,
  documentError,
  inputSchemaOf,
  operationWithOneAnswer,
  outputSchemaOf,
} from '../json-schema/index.ts';
import type { JSONSchema } from '../json-schema/index.ts';
import { assertName } from './options.ts';
import type { MCPOptions, ToolOptions } from './options.ts';

/** One tool: a trusted document, and how clients see it. */
export interface Tool {
  readonly name: string;
  readonly documentId: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
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

/** `@mcpTool`, as `mcpDefinitions` has it. */
export const directive: GraphQLDirective = /* @__PURE__ */ new GraphQLDirective({
  name: 'mcpTool',
  locations: [DirectiveLocation.QUERY, DirectiveLocation.MUTATION],
  args: { name: { type: GraphQLString }, title: { type: GraphQLString }, description: { type: GraphQLString } },
});

type Start = Pick<ServerStartContext, 'schema' | 'trustedDocuments'>;

/**
 * Creates the tools, and warnings about them. `report` gets an Error for each tool that could not be called, or that clients would refuse: it
 * is left out.
 */
export function makeTools(
  options: MCPOptions,
  start: Start,
  report: (error: unknown) => void = throwError,
): { readonly tools: Tools; readonly warnings: readonly string[] } {
  const chosen = Object.entries(options.tools ?? {});
  const published = new Map(start.trustedDocuments());
  const replaced = new Set(chosen.map(([, { document }]) => document));
  const sources: Source[] = [
    // Parsing thousands of documents would take long.
    ...[...published].flatMap(([id, one]) =>
      one.text.includes('@mcpTool') && !one.isReplaced && !replaced.has(id) ? [{ id, published: one }] : [],
    ),
    ...chosen.map(([name, tool]) => ({ id: tool.document, published: published.get(tool.document), name, ...tool })),
  ];
  const tools = new Map<string, Tool>();
  const warnings: string[] = [];
  const leftOut: Source[] = [];
  for (const source of sources) {
    try {
      const tool = makeTool(options, start, { source, warnings });
      if (tool === undefined) continue;
      if ([...tools.keys()].some((name) => name.toLowerCase() === tool.name.toLowerCase()))
        throw new Error(`Expected each tool of mcp to have a unique name, got two named "${tool.name}".`);
      if (options.explore && /^(?:run_query|search_schema)$/i.test(tool.name))
        throw new Error(`Expected no tool of mcp to be named "${tool.name}", which explore adds.`);
      tools.set(tool.name, tool);
    } catch (error) {
      report(error);
      leftOut.push(source);
    }
  }
  const isFound = (name: string): boolean =>
    [...tools.values()].some(({ hidden }) => hidden.has(name)) || leftOut.some((one) => one.published?.text.includes(`$${name}`));
  const unused = Object.keys(options.hidden ?? {}).find((name) => !isFound(name));
  if (unused !== undefined) {
    report(new Error(`Expected hidden.${unused} of mcp to name a variable of a tool, but no tool has it.`));
    // Callers could send the variable that was meant.
    tools.clear();
  }
  // The order is fixed, because clients cache prompts that contain the list.
  return { tools: new Map([...tools].toSorted(([one], [other]) => (one < other ? -1 : 1))), warnings };
}

function throwError(error: unknown): never {
  throw error;
}

interface Source extends Partial<ToolOptions> {
  readonly id: string;
  /** Undefined if there is no such document. */
  readonly published: CheckedDocument | undefined;
  /** Undefined if the document is a tool only when its operation has the directive. */
  readonly name?: string;
}

/** The arguments of the directive. */
type Texts = Readonly<Partial<Record<'name' | 'title' | 'description', string | undefined>>>;

interface Making {
  readonly source: Source;
  readonly warnings: string[];
}

function makeTool({ hidden = {}, scalars = {} }: MCPOptions, { schema }: Start, { source, warnings }: Making): Tool | undefined {
  if (source.published === undefined)
    throw new Error(`Expected the tool "${source.name}" of mcp to name a trusted document, got the id "${source.id}".`);
  const { document, errors } = source.published;
  const place = `The trusted document "${source.id}"`;
  let texts: Texts | undefined;
  let operation: OperationDefinitionNode;
  try {
    texts = directiveValues(document, directive) as Texts | undefined;
    if (source.name === undefined && texts === undefined) return undefined;
    operation = operationWithOneAnswer(document, 'tool');
    const [invalid] = errors;
    if (invalid !== undefined) throw invalid;
  } catch (error) {
    throw documentError(source.id, 'tool', error);
  }
  const given: Texts = { ...texts, ...source };
  const name = given.name ?? snakeCase(operation.name?.value ?? '');
  assertName(name, place);
  const { title, description = descriptionOf(operation, schema) } = given;
  if (!description)
    throw new Error(`The tool "${name}" of mcp needs a description: models choose tools by it. Write @mcpTool(description: "…").`);
  const isQuery = operation.operation === 'query';
  const variables = (operation.variableDefinitions ?? []).map(({ variable }) => variable.name.value);
  const hiddenNames = new Set(variables.filter((one) => Object.hasOwn(hidden, one)));
  const inputSchema = withinLimit(() => inputSchemaOf({ schema, operation, scalars, hidden: hiddenNames }));
  if (inputSchema === undefined) throw new Error(`${place} cannot be a tool: the JSON Schema of its variables is larger than 64 KB.`);
  const outputSchema = withinLimit(() => outputSchemaOf({ schema, fragments: fragmentsOf(document), scalars }, operation));
  if (outputSchema === undefined)
    warnings.push(`The MCP tool "${name}" has no output schema, because it would be larger than 64 KB. Select less.`);
  return {
    name,
    documentId: source.id,
    document,
    operation,
    variables: new Set(variables.filter((one) => !hiddenNames.has(one))),
    hidden: hiddenNames,
    isMutation: !isQuery,
    listed: {
      name,
      ...(title && { title }),
      description,
      inputSchema,
      outputSchema: outputSchema ?? { type: 'object' },
      annotations: {
        readOnlyHint: source.readOnly ?? isQuery,
        destructiveHint: source.destructive ?? !isQuery,
        idempotentHint: source.idempotent ?? isQuery,
      },
    },
  };
}

/** Undefined if the schema is too large. */
function withinLimit(write: () => JSONSchema): JSONSchema | undefined {
  try {
    return write();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}
