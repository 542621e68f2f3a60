import { isGraphQL17 } from '../../src/executor/graphql-version.ts';

/** Valid schema texts that only a full parser reads correctly, by the name of the difficulty. */
export const nastySDL: Readonly<Record<string, string>> = {
  'braces, quotes and hashes in strings and comments': String.raw`
    "A } in a description, a { and a \" and a #"
    type Query { # a } in a comment, and a "quote
      """
      Block } with { braces, "quotes", \""" and # no comment
      """
      a("}{" x: String = "}\"{#" , y: [String] = ["}", "\\"]): String # """
      b: Int # type Nothing { a: Int }
    }`,
  'escaped block string ends': 'type Query { """ \\""" } type X { \\""" """ a: Int """\\"""\\"""""" b: Int }',
  'empty strings and block strings': '"" type Query { "" a: Int """""" b("" c: String = ""): String d: Int }',
  'a block string that ends in a quote escaped by nothing': 'type Query { """a "word" """ a: Int }',
  'keywords as names': `
    type Query { type: type input(input: input): Int extend: extend schema: schema enum: enum }
    interface interface { on: Int implements: Int }
    type type implements interface { on: Int implements: Int query: Query directive(scalar: scalar, union: input): union }
    union union = type | schema | extend
    type schema { a: Int } type extend { repeatable: Int }
    input input { type: Int = 1 input: input enum: enum = type }
    enum enum { type input union directive on implements }
    scalar scalar scalar on`,
  'a union written in every way': `
    type Query { a: A b: B c: C d: D } type X { a: Int } type Y { a: Int }
    union A = X union B = | X | Y
    union C
      =
      | X # | Nothing
      | Y
    union D = X
    extend union D = Y`,
  'interfaces that implement interfaces, in a chain': `
    interface Node { id: ID! } interface Resource implements Node { id: ID! url: String }
    interface Image implements & Resource & Node { id: ID! url: String thumbnail: String }
    type Photo implements Image & Resource
      & Node { id: ID! url: String thumbnail: String }
    type Query { node: Node photo: Photo }`,
  'implementers that the schema reaches in another order than the text': `
    type Query { last: Last } interface Node { id: ID } type First implements Node { id: ID }
    type Middle implements Node { id: ID first: First } type Last implements Node { id: ID middle: Middle }`,
  'extensions of everything': `
    extend type Query { b: Int @deprecated } type Query { a: I } extend type Query { c: U e: E s: S }
    interface I { a: Int } extend interface I { b: Int } type A implements I { a: Int b: Int }
    extend interface I implements J interface J { a: Int } extend type A implements J
    union U = A extend union U = B type B { a: Int } enum E { A } extend enum E { B @deprecated(reason: "b") }
    input N { a: Int } extend input N { b: N } extend type Query { n(n: N): Int }
    scalar S extend scalar S @tag(name: "s") directive @tag(name: String) repeatable on SCALAR | SCHEMA | OBJECT
    extend schema @tag(name: "x") extend type B @tag(name: "1") @tag(name: "2")`,
  'extensions before what they extend, with other types between': `
    extend type Z { b: A } extend type Query { z: Z } type A { a: Int } type Query { a: A } extend union U = Z type Z { a: Int } union U = A`,
  'a schema definition with other names, described and extended': `
    "The schema." schema @tag { query: Root } extend schema { mutation: Change } extend schema @tag
    type Root { a: Int } type Change { a: Int } type Query { unused: Int } type Subscription { unused: Int }
    directive @tag repeatable on SCHEMA`,
  'directives with arguments, repeated, everywhere': `
    directive @a("the x" x: Int = 1 @deprecated, y: In = { a: [1, 2], b: "}" }) repeatable on
      | SCALAR | OBJECT | FIELD_DEFINITION | ARGUMENT_DEFINITION | INTERFACE | UNION | ENUM | ENUM_VALUE | INPUT_OBJECT | INPUT_FIELD_DEFINITION
    "on operations" directive @b on QUERY | FIELD
    input In @a(x: 2) { a: [Int!] @a(y: { b: "{" }) b: String = "(" @a @a }
    type Query @a(x: 1) @a(x: 2) { a(x: Int = 5 @a): Int @a(x: 3) @deprecated(reason: "no (more)") b: E u: U }
    enum E @a(y: {}) { A @a B @deprecated } union U @a(x: 1) = Query scalar S @a @specifiedBy(url: "https://example.com/{}")`,
  'default values of every kind': `
    type Query { a(i: Int = -1, f: Float = 1.5e-3, s: String = "a\\u00e9\\n", t: String = """
      block
        text
    """, b: Boolean = false, e: E = B, l: [[Int]] = [[1], [], null], n: N = { a: { a: null, b: [A, B] } }, x: ID = 5, z: E = null): Int }
    enum E { A B } input N { a: N b: [E!] = [A] c: S = "{ any: thing" } scalar S`,
  'oneOf, specifiedBy and deprecated on inputs': `
    input One @oneOf { a: Int b: String } type Query { a(one: One, old: Int @deprecated): S }
    input Two { old: Int @deprecated(reason: "x") new: Int } extend type Query { b(two: Two): Int }
    scalar S @specifiedBy(url: "https://example.com")`,
  'no white space that can be left out': 'type Query{a:[Int!]!b(c:Int=1,d:[E]=[A]):E@deprecated}enum E{A,B}union U=Query|X type X{a:U}',
  'commas, tabs, carriage returns and a byte order mark':
    '\uFEFFtype\tQuery\r\n{,,a:Int,,\r b(,x:Int,,y:Int,):Int,}\r#comment\rscalar\r\rS',
  'types with no fields of their own': `
    type Query implements Node & Other scalar S extend type Query { id: ID other: S } interface Node interface Other { other: S }
    extend interface Node { id: ID }`,
  'built-in types defined again':
    'scalar ID type Query { a: Int } directive @skip(if: Boolean!) on FIELD directive @deprecated(reason: String = "gone") on FIELD_DEFINITION',
  'names that JavaScript objects have': `
    type Query { constructor: constructor toString: Int valueOf(hasOwnProperty: Int): Int _: Int }
    type constructor { prototype: toString } enum toString { valueOf isPrototypeOf }`,
  'a built-in scalar in a comment and a description only': '"Float and ID" type Query { a: Boolean } # Float\n"""Int""" scalar S',
  'descriptions on everything': `
    """
    The schema,

      indented.
    """
    schema { query: Query }
    "q" type Query { "f" a("arg" x: Int): Int } "i" interface I { "f" a: Int } "u" union U = Query
    "e" enum E { "v" A """w""" B } "n" input N { "f" a: Int = 1 } "s" scalar S "d" directive @d("a" x: Int) on FIELD`,
  ...(isGraphQL17 && {
    'directives on directive definitions': `
      directive @owner(name: String = "@a") repeatable on DIRECTIVE_DEFINITION | OBJECT
      "described" directive @a(x: Int = 1 @deprecated) @owner(name: "b") @owner repeatable on | FIELD_DEFINITION | DIRECTIVE_DEFINITION
      directive @b @a @deprecated(reason: "use a") on OBJECT directive @c @deprecated on FIELD
      type Query @b { a: Int @a }`,
    'extended directives': `
      extend directive @a @deprecated(reason: "later") extend directive @a @b(x: 1)
      directive @b(x: Int) repeatable on DIRECTIVE_DEFINITION directive @a on FIELD_DEFINITION
      extend directive @skip @b type Query { a: Int @a }`,
    'a deprecated directive of the specification': `
      directive @skip(if: Boolean!) @deprecated(reason: "no") on FIELD type Query { directive: Int }`,
  }),
};
