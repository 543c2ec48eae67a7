/** Puts the name of each row before it, for the `%s` of a title in `it.each`. (Vitest quotes and cuts `$name`.) */
export const byName = <Row extends { readonly name: string }>(rows: readonly Row[]): (readonly [string, Row])[] =>
  rows.map((row) => [row.name, row] as const)
