import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

import { parse, print, printSchema, visit } from 'graphql';
import type { ConstDirectiveNode, FieldDefinitionNode, NameNode } from 'graphql';

import { sourcesOf } from '../../../executor/schema/index.ts';
import { semanticNonNull } from '../../checks/semantic-non-null.ts';
import type { SchemaArguments } from '../arguments.ts';
import { checkGraphQLFunction } from '../check/check-function.ts';
import { findFunction } from '../project/functions-folder.ts';
import { printProblems } from '../project/print-problems.ts';
import type { Terminal } from '../project/paint.ts';

/** Prints the schema of a function as clients see it, or writes it into a file. The result is the exit code. */
export async function runPrintSchema(settings: SchemaArguments, directory: string, terminal: Terminal): Promise<number> {
  const source = await findFunction(directory, settings.functions, settings.function);
  const { problems, schema, options } = await checkGraphQLFunction(source, directory, { external: settings.external });
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
  const directives = new Map<string, ConstDirectiveNode>();
  const collect = ({ name: type, fields = [] }: TypeWithFields): void => {
    for (const { name, directives: applied } of fields) {
      const directive = applied?.find((one) => one.name.value === 'semanticNonNull');
      if (directive !== undefined) directives.set(`${type.value}.${name.value}`, directive);
    }
  };
  const collectAll = {
    ObjectTypeDefinition: collect,
    ObjectTypeExtension: collect,
    InterfaceTypeDefinition: collect,
    InterfaceTypeExtension: collect,
  };
  const sources = typeDefs === undefined ? [] : sourcesOf(typeDefs);
  for (const source of sources) visit(typeof source === 'string' ? parse(source) : source, collectAll);
  if (directives.size === 0) return printed;
  const add = <TNode extends TypeWithFields>(type: TNode): TNode => ({
    ...type,
    fields: type.fields?.map((field) => {
      const directive = directives.get(`${type.name.value}.${field.name.value}`);
      return directive === undefined ? field : { ...field, directives: [...(field.directives ?? []), directive] };
    }),
  });
  const document = visit(parse(printed), { ObjectTypeDefinition: add, InterfaceTypeDefinition: add });
  return /^directive @semanticNonNull\b/m.test(printed) ? print(document) : `${semanticNonNull}\n\n${print(document)}`;
}

interface TypeWithFields {
  readonly name: NameNode;
  readonly fields?: readonly FieldDefinitionNode[] | undefined;
}
