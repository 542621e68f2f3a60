import { createElement } from 'react';
import type { ChangeEvent, FunctionComponent } from 'react';

/** Chooses the request parameter `onError`. An empty value sends none. */
export const OnErrorSelect: FunctionComponent<{ readonly onChange: (value: string) => void }> = ({ onChange }) =>
  createElement(
    'label',
    { style: { fontSize: 10, display: 'flex', flexDirection: 'column', alignItems: 'center', gap: 2 } },
    createElement(
      'select',
      {
        'aria-label': 'onError',
        title: 'What an error does to the response',
        style: { width: 40, fontSize: 10, font: 'inherit', color: 'inherit', background: 'transparent' },
        onChange: ({ target }: ChangeEvent<HTMLSelectElement>) => onChange(target.value),
      },
      ...['', 'NULL', 'PROPAGATE', 'HALT'].map((value) => createElement('option', { key: value, value }, value === '' ? '–' : value)),
    ),
    'onError',
  );
