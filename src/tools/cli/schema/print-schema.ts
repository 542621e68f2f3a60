import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import { parse, print, printSchema, visit } from 'graphql';
import type { ConstDirectiveNode, FieldDefinitionNode, ObjectTypeDefinitionNode } from 'graphql';

import { sourcesOf } from '../../../executor/schema/index.ts';
import { semanticNonNull } from '../../checks/for-cli.ts';
import type { SchemaArguments } from '../arguments.ts';
import { checkGraphQLFunction } from '../check/check-function.ts';
import { findFunction } from '../project/functions-folder.ts';
import { printProblems } from '../project/print-problems.ts';
import type { Terminal } from '../project/paint.ts';

/** Prints the schema of a function as clients see it, or writes it into a file. The result is the exit code. */
export async function runPrintSchema(settings: SchemaArguments, directory: string, terminal: Terminal): Promise<number> {
  const source = await findFunction(directory, settings.functions, settings.function);
  const { problems, schema, options } = await checkGraphQLFunction(source, directory);
  if (problems.length > 0 || schema === undefined) {
    printProblems(problems, directory, { log: terminal.error.bind(terminal), error: terminal.error.bind(terminal) });
    return 1;
  }
  const text = withNullability(printSchema(schema), options?.typeDefs);
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

/** Adds `@semanticNonNull`, which is for clients. Introspection does not have it, so it is read from the text. */
function withNullability(printed: string, typeDefs: unknown): string {
  const marks = new Map<string, ConstDirectiveNode>();
  for (const source of typeDefs === undefined ? [] : sourcesOf(typeDefs))
    visit(typeof source === 'string' ? parse(source) : source, {
      FieldDefinition(field, _key, _parent, _path, ancestors) {
        const mark = field.directives?.find(({ name }) => name.value === 'semanticNonNull');
        if (mark !== undefined) marks.set(coordinateOf(field, ancestors), mark);
      },
    });
  if (marks.size === 0) return printed;
  const marked = visit(parse(printed), {
    FieldDefinition(field, _key, _parent, _path, ancestors) {
      const mark = marks.get(coordinateOf(field, ancestors));
      return mark && { ...field, directives: [...(field.directives ?? []), mark] };
    },
  });
  return /^directive @semanticNonNull\b/m.test(printed) ? print(marked) : `${semanticNonNull}\n\n${print(marked)}`;
}

/** Type.field. The last ancestor is the type, because the field's parent is the list of fields. */
function coordinateOf(field: FieldDefinitionNode, ancestors: readonly unknown[]): string {
  return `${(ancestors.at(-1) as ObjectTypeDefinitionNode).name.value}.${field.name.value}`;
}
