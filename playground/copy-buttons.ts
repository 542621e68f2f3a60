import { useGraphiQL } from '@graphiql/react';
import { createElement, useState } from 'react';
import type { FunctionComponent, ReactElement } from 'react';

import { toCurl, toLink } from './shared-request.ts';
import type { WrittenRequest } from './shared-request.ts';
import { ToolButton } from './tool-button.ts';

/** Two buttons that copy the operation in the editors: as a command, and as a link to this page. */
export const CopyButtons: FunctionComponent<{ readonly endpoint: string }> = ({ endpoint }) => {
  const editors = useGraphiQL(({ queryEditor, variableEditor, headerEditor, operationName }) => ({
    queryEditor,
    variableEditor,
    headerEditor,
    operationName,
  }));
  const written = (): WrittenRequest => ({
    endpoint,
    query: editors.queryEditor?.getValue() ?? '',
    variables: editors.variableEditor?.getValue() ?? '',
    headers: editors.headerEditor?.getValue() ?? '',
    operationName: editors.operationName ?? undefined,
  });
  return createElement(
    'div',
    { className: 'copy-buttons' },
    createElement(CopyButton, { text: 'curl', title: 'Copy as curl', value: () => toCurl(written()), icon: terminal }),
    createElement(CopyButton, { text: 'Link', title: 'Copy a link to this operation', value: () => toLink(written()), icon: chain }),
  );
};

interface CopyButtonProperties {
  readonly text: string;
  readonly title: string;
  readonly value: () => string;
  readonly icon: ReactElement;
}

const CopyButton: FunctionComponent<CopyButtonProperties> = ({ text, title, value, icon }) => {
  const [outcome, setOutcome] = useState('');
  const copy = async (): Promise<void> => {
    const done = await navigator.clipboard.writeText(value()).then(
      () => 'Copied',
      () => 'Refused',
    );
    setOutcome(done);
    setTimeout(() => setOutcome(''), 1500);
  };
  return createElement(ToolButton, { title, icon, text: outcome === '' ? text : outcome, onClick: () => void copy() });
};

const line = { fill: 'none', stroke: 'currentColor', strokeWidth: 2, strokeLinecap: 'round', strokeLinejoin: 'round' } as const;
const terminal = createElement('path', { ...line, d: 'M4 6 L10 12 L4 18 M13 18 H20' });
const chain = createElement('path', {
  ...line,
  d: 'M10 14 L14 10 M11 6 l2-2 a4.2 4.2 0 0 1 6 6 l-2 2 M13 18 l-2 2 a4.2 4.2 0 0 1-6-6 l2-2',
});
