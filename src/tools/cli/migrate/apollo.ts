import { contextText, droppedPlugins, isTypeScript } from './apollo-options.ts';
import type { Generation, HandlerCall } from './apollo-options.ts';
import { findPair, generationOf, importsOf, problemsOf } from './apollo-pair.ts';
import type { Pair } from './apollo-pair.ts';
import type { Manifests } from './manifests.ts';
import type { Project, SourceFile } from './project.ts';
import { referencesIn } from './references.ts';
import type { ModuleReference, Node } from './references.ts';
import { applyEdits, lineOf, removal } from './rewrite.ts';
import type { Edit, Rewritten } from './rewrite.ts';
import { isOfVersion2 } from './version-2.ts';
import { importEdits, indentOf, left, objectText, problemsOfImports, propertyNamed, typeArgumentsOf, usesOf } from './written-code.ts';

/** Rewrites a handler of Apollo Server with `createHandler` where that is safe. Otherwise findings say why not. */
export function modernizeApollo(source: SourceFile, project: Project, manifests: Manifests): Rewritten | undefined {
  const generation = generationOf(source);
  if (generation === undefined && !source.text.includes('.createHandler(')) return undefined;
  const found = findPair(source, project, generation);
  if (found === undefined || 'why' in found) {
    if (generation === undefined) return undefined;
    return left(source.text, [
      ...problemsOfImports(importsOf(source, generation), generation.names),
      ...(found === undefined ? [] : [found]),
    ]);
  }
  // Version 2 of the Lambda server allowed no origin.
  const added = found.generation.added.filter((one) => !one.startsWith('cors') || !isOfVersion2(manifests, found.server.file));
  const pair: Pair = { ...found, added };
  const problems = problemsOf(pair);
  if (problems.length > 0) {
    const here = problems.filter(({ file }) => file === source.file);
    return left(source.text, here);
  }
  return pair.server.file === pair.handler.file ? inOneFile(pair) : inTwoFiles(pair, source.file);
}

const finding = (text: string, node: Node): Rewritten['findings'] => [
  {
    line: lineOf(text, node.start),
    message:
      'Clients still get the messages of unexpected errors (maskErrors: false). Without this option, production masks them: see docs/errors.md.',
  },
];

function inOneFile({ server, handler, generation, added }: Pair): Rewritten {
  const { text, program } = server;
  const { call } = handler;
  const used = importsOf(server, generation);
  const names = [call.creator, ...keptNames(used, generation)];
  const types = typeArgumentsOf(text, server.creation);
  const members = [...handlerMembers(handler), ...missing(added, server.options, [call.options])];
  const options = optionsText(text, server.options, members);
  const edits = [
    ...importEdits(text, used, [{ names, module: call.module }]),
    removal(text, server.declaration),
    { start: call.node.start, end: call.node.end, text: `${call.creator}${types}(${options}${call.moreArguments(text)})` },
    ...plugInEdits(text, program, server.options),
  ];
  return { text: applyEdits(text, edits), findings: finding(text, server.declaration), modules: ['graphql-functions'] };
}

/** The server's file keeps its options as an object, and the handler's file passes it to createHandler. */
function inTwoFiles(pair: Pair, file: string): Rewritten {
  const isTaken = [pair.server, pair.handler].some(({ text }) => /\boptions\b/.test(text));
  const name = isTaken ? 'serverOptions' : 'options';
  return file === pair.server.file ? serverFile(pair, name) : handlerFile(pair, name);
}

function serverFile({ server, handler, generation, added }: Pair, name: string): Rewritten {
  const { file, text, program } = server;
  const used = importsOf(server, generation);
  const isTyped = isTypeScript(file);
  const options = `ServerOptions${typeArgumentsOf(text, server.creation)}`;
  const type = handlerMembers(handler).length > 0 ? `Omit<${options}, 'context'>` : options;
  const kept = keptNames(used, generation);
  const names = [...(isTyped ? [kept.length > 0 ? 'type ServerOptions' : 'ServerOptions'] : []), ...kept];
  const { start, end } = server.creation;
  const edits = [
    ...importEdits(text, used, [{ names, module: 'graphql-functions', isType: isTyped && kept.length === 0 }]),
    { start, end, text: optionsText(text, server.options, missing(added, server.options, [handler.call.options])) },
    ...usesOf(program, server.name).map((use, at) => ({
      start: use.start,
      end: use.start + server.name.length,
      text: at === 0 && isTyped ? `${name}: ${type}` : name,
    })),
    ...plugInEdits(text, program, server.options),
  ];
  return { text: applyEdits(text, edits), findings: finding(text, server.declaration), modules: ['graphql-functions'] };
}

function handlerFile({ handler, generation }: Pair, name: string): Rewritten {
  const { call, text, program } = handler;
  const { node } = call;
  const used = importsOf(handler, generation);
  const local: string = node.callee.type === 'MemberExpression' ? node.callee.object.name : node.arguments[0].name;
  const members = handlerMembers(handler);
  const options = members.length === 0 ? name : objectText(text, call.options ?? node, [`...${name}`, ...members]);
  const edits = [
    ...importEdits(text, used, [{ names: [call.creator, ...keptNames(used, generation)], module: call.module }]),
    { start: node.start, end: node.end, text: `${call.creator}(${options}${call.moreArguments(text)})` },
    ...usesOf(program, local)
      .filter(({ start }) => start < node.start || start >= node.end)
      .map(({ start, end }) => ({ start, end, text: name })),
  ];
  const all = used.length === 0 ? [importAtTop(call), ...edits] : edits;
  return { text: applyEdits(text, all), findings: [], modules: ['graphql-functions'] };
}

function importAtTop({ creator, module }: HandlerCall): Edit {
  return { start: 0, end: 0, text: `import { ${creator} } from '${module}';\n` };
}

/** The names that the file imports from this package, in its usual order. */
function keptNames(used: readonly ModuleReference[], { kept }: Generation): string[] {
  return used.flatMap(({ names }) => names.filter(({ imported }) => kept.includes(imported)).map(({ imported }) => imported));
}

function handlerMembers(handler: Pair['handler']): string[] {
  const { call } = handler;
  const context = propertyNamed(call.options, 'context');
  if (context === undefined) return [];
  return [context.shorthand ? 'context' : `context: ${contextText(handler, context.value, call)}`];
}

/** Options that keep an old default, unless one of the objects sets them. */
function missing(added: readonly string[], ...given: (Node | readonly (Node | undefined)[])[]): string[] {
  const names = new Set(given.flat().flatMap((object: Node | undefined) => (object?.properties ?? []).map(({ key }: Node) => key?.name)));
  return added.filter((one) => !names.has(one.split(':')[0]!));
}

/** Adds members at the start of the object, so that TypeScript infers the context type before the resolvers. */
function optionsText(text: string, options: Node, more: readonly string[]): string {
  const kept: Node[] = options.properties.filter((property: Node) => property.key.name !== 'plugins');
  const written = text.slice(options.start, options.end);
  const plugins = droppedPlugins(options);
  const all = [...more, ...plugins];
  const first = kept[0];
  if (!written.includes('\n') || kept.length < options.properties.length || first === undefined)
    return objectText(text, options, [...all, ...kept.map(({ start, end }) => text.slice(start, end))]);
  // In front of the others, whose comments stay.
  const at = first.start - options.start;
  const indent = indentOf(text, options);
  return written.slice(0, at) + all.map((one) => `${one},\n${indent}`).join('') + written.slice(at);
}

/** Imports of removed plugins, each of which had a separate module. */
function plugInEdits(text: string, program: Node, options: Node): Edit[] {
  if (propertyNamed(options, 'plugins') === undefined) return [];
  return referencesIn(program)
    .filter(({ module, statement }) => module.startsWith('@apollo/server/plugin/') && statement !== undefined)
    .map(({ statement }) => removal(text, statement!));
}
