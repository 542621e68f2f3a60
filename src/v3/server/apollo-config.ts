import { isHeaderField } from '../../shared/index.ts';
import type { ApolloConfig, ApolloConfigInput, Logger } from '../types.ts';

/** The option `apollo` and its environment variables, for plugins that read them. */
export function readApolloConfig(input: ApolloConfigInput = {}, logger: Logger): ApolloConfig {
  const env = globalThis.process?.env ?? {};
  const given = input.key || env['APOLLO_KEY'];
  const key = given?.trim();
  if (key !== given)
    logger.warn('The provided API key has unexpected leading or trailing whitespace. Apollo Server will trim the key value before use.');
  if (key && !isHeaderField('x-api-key', key))
    throw new Error('The API key provided to Apollo Server contains characters which are invalid as HTTP header values.');
  const graphRef = graphRefOf(input, env);
  return {
    ...(key && {
      key,
      get keyHash() {
        return process.getBuiltinModule('node:crypto').createHash('sha512').update(key).digest('hex');
      },
    }),
    ...(graphRef && { graphRef }),
  };
}

function graphRefOf(input: ApolloConfigInput, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const graphRef = input.graphRef || env['APOLLO_GRAPH_REF'];
  const graphId = input.graphId ?? env['APOLLO_GRAPH_ID'];
  const variant = input.graphVariant ?? env['APOLLO_GRAPH_VARIANT'];
  if (!graphRef) return graphId && (variant ? `${graphId}@${variant}` : graphId);
  for (const [name, value] of [
    ['ID', graphId],
    ['variant', variant],
  ]) {
    if (!value) continue;
    throw new Error(
      `Cannot specify both graph ref and graph ${name}. Please use \`apollo.graphRef\` or \`APOLLO_GRAPH_REF\` without also setting the graph ${name}.`,
    );
  }
  return graphRef;
}
