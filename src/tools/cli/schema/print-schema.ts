import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import { parse, print, printSchema, visit } from 'graphql';
import type { GraphQLObjectType, GraphQLSchema, ObjectTypeDefinitionNode } from 'graphql';

import { semanticNonNull } from '../../checks/for-cli.ts';
import type { SchemaArguments } from '../arguments.ts';
import { checkGraphQLFunction } from '../check/check-function.ts';
import { findFunction } from '../project/functions-folder.ts';
import { DevError } from '../project/problem.ts';
import { printProblems } from '../project/print-problems.ts';
import type { Terminal } from '../project/terminal.ts';

/** Prints the schema of a function as clients see it, or the OpenAPI document of its routes, or writes it into a file. The result is the exit code. */
export async function runPrintSchema(settings: SchemaArguments, directory: string, terminal: Terminal): Promise<number> {
  const source = await findFunction(directory, settings.functions, settings.function);
  const { problems, schema, describeRoutes } = await checkGraphQLFunction(source, directory);
  if (problems.length > 0 || schema === undefined) {
    printProblems(problems, directory, terminal.error.bind(terminal));
    return 1;
  }
  if (settings.openapi && describeRoutes === undefined) throw new DevError(`${source.name} has no REST routes: add rest() to its plugins.`);
  const text = settings.openapi ? describeRoutes!() : withNullability(schema);
  if (settings.out === undefined) {
    terminal.log(text);
    return 0;
  }
  const file = resolve(directory, settings.out);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${text}\n`);
  terminal.error(`Wrote ${settings.out}.`);
  return 0;
}

/** Adds `@semanticNonNull`, which is for clients. graphql-js prints no other directives than those of the specification. */
function withNullability(schema: GraphQLSchema): string {
  const printed = printSchema(schema);
  let isMarked = false;
  const marked = visit(parse(printed), {
    FieldDefinition(field, _key, _parent, _path, ancestors) {
      // The last ancestor is the type, because the field's parent is the list of fields.
      const type = schema.getType((ancestors.at(-1) as ObjectTypeDefinitionNode).name.value) as GraphQLObjectType;
      const { directives = [] } = type.getFields()[field.name.value]?.astNode ?? {};
      const marks = directives.filter(({ name }) => name.value === 'semanticNonNull');
      isMarked ||= marks.length > 0;
      return { ...field, directives: [...(field.directives ?? []), ...marks] };
    },
  });
  if (!isMarked) return printed;
  return /^directive @semanticNonNull\b/m.test(printed) ? print(marked) : `${semanticNonNull}\n\n${print(marked)}`;
}
