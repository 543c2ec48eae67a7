import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { migrations } from '../src/migrations.js'
import { readTableNames } from '../src/table-names.js'

it.each([
  ['sqlite', 'X4AI-q9UqTQNK1-rmadFi1mzVm4oChpxIlioq3jxLqI'],
  ['postgresql', 'zZu1fYmqNBhD92gZR4MaP6jOAUexzC51LIuNM_F9LI4'],
  ['mysql', 'I30E8QP40ywvdZaiuqCa3QuYaYIbQoAhqmQkuba660s'],
] as const)('the statements of migration 1 on %s are the published ones', (dialect, digest) => {
  const statements = migrations[0]?.write(readTableNames({}, dialect), dialect, 'utf8mb4_0900_bin')
  expect(createHash('sha256').update(JSON.stringify(statements)).digest('base64url')).toBe(digest)
})
