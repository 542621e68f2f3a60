import type { Options } from './read-options.ts';

/** The text of `--help` for a command. */
export interface CommandHelp {
  /** Paragraphs, of which the first is also in the list of all commands. */
  readonly about: string;
  /** The arguments without a name: their name in `--help`, and how many there may be. */
  readonly positional?: { readonly name: string; readonly most: number; readonly help: string };
  readonly options: Options;
  /** The last paragraph. */
  readonly note?: string;
}

/** The widest line of `--help`, and the column at which the descriptions of options begin. */
const width = 80;
const column = 25;

/** The text of `graphql-functions <name> --help`. */
export function helpOf(name: string, command: CommandHelp): string {
  const { about, positional, note } = command;
  const title = `graphql-functions ${name} [options]${positional === undefined ? '' : ` ${positional.name}`}`;
  const lines = [...rowsOf(command), { term: '--help', help: 'prints this help' }].map(({ term, help }) => row(term, help, column));
  return [title, paragraphs(about), lines.join('\n'), ...(note === undefined ? [] : [paragraphs(note)])].join('\n\n');
}

/** The text of `graphql-functions --help`: what each command does. */
export function overviewOf(commands: Readonly<Record<string, CommandHelp>>): string {
  const list = Object.entries(commands).map(([name, { about }]) => row(name, about.split('\n', 1)[0]!, 14));
  return ['graphql-functions <command> [options]', ...list, 'graphql-functions <command> --help lists the options of a command.'].join(
    '\n\n',
  );
}

/** Returns a row for each argument of a command, with its effect, for `--help` and for the table in the documentation. Names are in backquotes. */
export function rowsOf({ positional, options }: CommandHelp): { readonly term: string; readonly help: string }[] {
  const named = Object.entries(options).map(([name, { value, help }]) => ({
    term: `--${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  }));
  return positional === undefined ? named : [{ term: positional.name, help: positional.help }, ...named];
}

/** A term, and its effect beside or below it, from a column on. */
function row(term: string, help: string, from: number): string {
  const text = wrap(help.replaceAll('`', ''), width - from).join(`\n${' '.repeat(from)}`);
  return term.length < from - 3 ? `  ${term.padEnd(from - 2)}${text}` : `  ${term}\n${' '.repeat(from)}${text}`;
}

function paragraphs(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : wrap(line, width).join('\n')))
    .join('\n');
}

function wrap(text: string, most: number): string[] {
  return text.match(new RegExp(`.{1,${most}}(?= |$)`, 'g'))?.map((line) => line.trim()) ?? [text];
}
