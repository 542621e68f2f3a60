import { KnownTypeNamesRule, specifiedRules } from 'graphql';
import type { ASTVisitor, NamedTypeNode, ValidationContext, ValidationRule } from 'graphql';

/**
 * graphql-js's rules for documents, and its results, without making a lazy schema whole.
 *
 * graphql 16's KnownTypeNamesRule lists every type of the schema before it looks at the document, and so
 * builds them all for the first request: 104 ms of CPU at 300 types in place of 21 (bench/cold-schema.ts).
 */
export const specifiedRulesForLazySchema: readonly ValidationRule[] = /* @__PURE__ */ specifiedRules.map((rule) =>
  rule === KnownTypeNamesRule ? LazyKnownTypeNamesRule : rule,
);

/** Asks for each type by its name, and leaves the error, with its suggestions, to graphql-js's rule. */
function LazyKnownTypeNamesRule(context: ValidationContext): ASTVisitor {
  let rule: { NamedType: (node: NamedTypeNode, ...where: unknown[]) => void } | undefined;
  return {
    NamedType(node: NamedTypeNode, ...where): void {
      if (context.getSchema().getType(node.name.value) !== undefined) return;
      rule ??= KnownTypeNamesRule(context) as unknown as typeof rule;
      rule?.NamedType(node, ...where);
    },
  };
}
