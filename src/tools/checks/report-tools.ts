import type { Logger } from '../../server/index.ts';

/** A tool of `mcp()`. */
interface Tool {
  readonly name: string;
  /** Names of the variables that callers send. */
  readonly variables: ReadonlySet<string>;
  /** The tool as clients get it. */
  readonly listed: object;
}

/** Logs the tools of `mcp()` and the length of their list, and warns of secrets. */
export function reportTools(path: string, tools: readonly Tool[], logger: Logger): void {
  const kilobytes = (JSON.stringify(tools.map(({ listed }) => listed)).length / 1000).toFixed(1);
  logger.info(`MCP tools at …${path} (${kilobytes} kB in each prompt): ${tools.map(({ name }) => name).join(', ') || 'none'}`);
  for (const { name, variables } of tools) {
    for (const variable of variables) {
      if (!secretName.test(variable)) continue;
      logger.warn(
        `The MCP tool "${name}" takes "${variable}", which becomes part of prompts and logs. If it is a secret, move it to the option hidden.`,
      );
    }
  }
}

/** Names of values that a model must not see. */
const secretName = /password|passphrase|secret|token|api_?key|credential/i;
