/** Rows for `it.each` with their names in front, for the `%s` of a title. (`$name` would quote and cut them.) */
export const byName = <Row extends { readonly name: string }>(rows: readonly Row[]): (readonly [string, Row])[] =>
  rows.map((row) => [row.name, row] as const)
