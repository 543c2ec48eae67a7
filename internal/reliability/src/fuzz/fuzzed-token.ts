import fc from 'fast-check'

/** A change of an issued token before it is presented. */
export type TokenEdit =
  | { readonly kind: 'none' }
  | { readonly kind: 'replace'; readonly at: number; readonly length: number; readonly text: string }
  | { readonly kind: 'parts'; readonly order: readonly number[] }
  | { readonly kind: 'spell'; readonly part: number; readonly spelling: Spelling }
  /** Another text in place of the token. */
  | { readonly kind: 'other'; readonly text: string }

const spellings = ['padded', 'base64', 'stray bits', 'encoded twice', 'percent', 'with a line feed'] as const
type Spelling = (typeof spellings)[number]

/** The tokens that an edit changes. */
export interface EditedTokens {
  readonly token: string
  /** An issued token of another session. Edits may use its parts. */
  readonly other: string
}

/** Any character, also half of a surrogate pair. The unit `binary` of fast-check starts slowly. */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point))

/** The edits of an attacker who has a token and not the secret. */
export const tokenEdits: fc.Arbitrary<TokenEdit> = fc.oneof(
  fc.constant<TokenEdit>({ kind: 'none' }),
  fc.record({
    kind: fc.constant('replace'),
    at: fc.nat({ max: 600 }),
    length: fc.constantFrom(0, 1, 4, 600),
    text: fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('.', '=', '-', 'A', ' ')),
  }),
  fc.record({ kind: fc.constant('parts'), order: fc.array(fc.nat({ max: 5 }), { maxLength: 5 }) }),
  fc.record({ kind: fc.constant('spell'), part: fc.nat({ max: 2 }), spelling: fc.constantFrom(...spellings) }),
  fc.record({
    kind: fc.constant('other'),
    text: fc.oneof(fc.string(), fc.string({ unit: anyCharacter, maxLength: 40 })),
  }),
)

/** Returns the edited token. */
export const applyEdit = (edit: TokenEdit, { token, other }: EditedTokens): string => {
  const parts = token.split('.')
  switch (edit.kind) {
    case 'none':
      return token
    case 'replace': {
      const at = edit.at % (token.length + 1)
      return token.slice(0, at) + edit.text + token.slice(at + edit.length)
    }
    case 'parts':
      return edit.order.map((index) => [...parts, ...other.split('.')][index]).join('.')
    case 'spell':
      return parts.map((part, index) => (index === edit.part ? spell[edit.spelling](part) : part)).join('.')
    case 'other':
      return edit.text
  }
}

/** Returns whether a text is one of the issued tokens. The service must accept no other text. */
export const isIssued = (presented: string, { token, other }: EditedTokens): boolean =>
  presented === token || presented === other

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const spell: Readonly<Record<Spelling, (part: string) => string>> = {
  padded: (part) => `${part}=`,
  base64: (part) => part.replaceAll('-', '+').replaceAll('_', '/'),
  'stray bits': (part) => part.slice(0, -1) + alphabet.charAt((alphabet.indexOf(part.slice(-1)) + 1) % 64),
  'encoded twice': (part) => Buffer.from(part).toString('base64url'),
  percent: (part) => `%${part.charCodeAt(0).toString(16)}${part.slice(1)}`,
  'with a line feed': (part) => `${part.slice(0, 4)}\n${part.slice(4)}`,
}
