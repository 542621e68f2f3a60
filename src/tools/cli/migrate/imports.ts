import { positionAt } from '../../checks/for-cli.ts';
import { destinationOf } from './modules.ts';

/** A line of a file, and what was done or remains to be done there. */
export interface Note {
  readonly line: number;
  readonly message: string;
}

/** A text with its imports changed. */
export interface Rewritten {
  readonly text: string;
  readonly changes: readonly Note[];
  /** Changes that remain to be made by hand. */
  readonly findings: readonly Note[];
}

/** A string that names a module. */
interface Reference {
  readonly module: string;
  /** The place of the name, without its quotes. */
  readonly index: number;
  /** The place of an import statement, and the text between its keyword and `from`. */
  readonly statement: { readonly start: number; readonly clause: string } | undefined;
  /** The names that are taken. Undefined if these are all, or unknown. */
  readonly names: readonly string[] | undefined;
}

/** The modules that a text imports, exports, requires or mocks. Comments are read like code. */
export function referencesIn(text: string, isRelevant: (module: string) => boolean = () => true): Reference[] {
  return [...text.matchAll(/(['"])((?:@[\w.-]+\/)?[\w.-]+(?:\/[\w./-]*)?)\1/g)].flatMap(({ index: quote, 2: module = '' }) => {
    if (!isRelevant(module)) return [];
    // Text before a quote or a semicolon belongs to another statement.
    const [before] = /[^'"`;]*$/.exec(text.slice(Math.max(0, quote - 10_000), quote))!;
    const [, outside, clause] = /^([^]*\b|)(?:import|export)\b(?:\s+type\b(?!\s*(?:,|from\b)))?([^]*)\bfrom\s*$/.exec(before) ?? [];
    const [, required] = /(?:(\{[^{}]*\})\s*=\s*(?:await\s+)?)?\b(?:require|import)\s*\(\s*$/.exec(before) ?? [];
    if (clause === undefined && !/\b(?:from|import|(?:import|require|require\.resolve|(?:jest|vi)\.\w+)\s*\()\s*$/.test(before)) return [];
    const statement = clause === undefined ? undefined : { start: quote - before.length + outside!.length, clause };
    return [{ module, index: quote + 1, statement, names: namesIn(clause ?? required ?? '') }];
  });
}

/** `{ A, type B as C }` and `{ A, B: C }` → A and B. */
function namesIn(clause: string): string[] | undefined {
  const [, list] = /\{([^}]*)\}/.exec(clause.replaceAll(/\/\/.*|\/\*[^]*?\*\//g, '')) ?? [];
  return list?.split(',').flatMap((one) => /^\s*(?:type\s+)?([\w$]+)/.exec(one)?.[1] ?? []);
}

/** Changes the modules that `isReplaced` names. */
export function rewriteImports(text: string, isReplaced: (module: string) => boolean): Rewritten {
  const changes: Note[] = [];
  const findings: Note[] = [];
  let after = text;
  // Starts at the end, so that earlier places stay right.
  for (const { module, index, statement, names } of referencesIn(text, isReplaced).toReversed()) {
    const { line } = positionAt(text, index);
    const { module: target, left } = destinationOf(module, names);
    findings.unshift(...left.map((message) => ({ line, message })));
    if (target === undefined) continue;
    const { start, clause } = statement ?? { start: index, clause: '' };
    const [, standard, comma] = /^\s*([\w$]+)\s*(,?)/.exec(clause) ?? [];
    let written = text.slice(start, index) + target;
    if (names?.includes('default') || comma === ',') {
      findings.unshift({ line, message: `${target} has no default export: import names of it in place of the default of ${module}.` });
      continue;
    } else if (standard !== undefined) written = written.replace(clause, () => clause.replace(standard, () => `* as ${standard}`));
    after = after.slice(0, start) + written + after.slice(index + module.length);
    changes.unshift({ line, message: `${module} → ${target}` });
  }
  return { text: after, changes, findings };
}
