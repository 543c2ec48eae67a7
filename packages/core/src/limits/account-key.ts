/**
 * What a user name is counted under. Coarser than any directory's own idea of "the same name": where a database finds
 * `ada` by `ADA`, `àda` or `ada ` as well, each spelling would otherwise be an account of its own to the limits, with
 * guesses of its own. Two names that fall together share a limit, and nothing else.
 */
export const toAccountKey = (username: string): string =>
  username
    .normalize('NFKD')
    .replace(/[\p{M}\p{Z}\p{C}]/gu, '')
    .toUpperCase()
    .toLowerCase()
