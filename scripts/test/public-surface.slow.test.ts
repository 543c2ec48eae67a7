import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { findCommentProblems } from './doc-comments.js'
import { readSurfaces, type Surface } from './public-surface.js'

const { surfaces, checker } = readSurfaces()
const planted = readSurfaces(
  new Map([['planted', [fileURLToPath(new URL('./planted-surface/index.ts', import.meta.url))]]]),
)

/** The types that the API of a package names and that none of the packages exports. */
const findForgotten = ({ reachable }: Surface, exporters: readonly Surface[]): readonly string[] =>
  [...reachable]
    .filter(([{ flags }]) => (flags & ts.SymbolFlags.Type) !== 0)
    .filter(([symbol]) => !exporters.some(({ exported }) => exported.has(symbol)))
    .map(([{ name }, from]) => `${name}, which ${from} names`)

/**
 * A package, and the package beside it from which a user imports: applications from express, others
 * from core.
 */
const findExporters = ({ name }: Surface): readonly Surface[] => {
  const isBesideCore = ['@jwt-auth/storage-conformance', '@jwt-auth/passwords'].includes(name)
  const isBesideExpress = ['@jwt-auth/cli', '@jwt-auth/testing'].includes(name) || name.includes('/storage-')
  const other = isBesideCore ? '@jwt-auth/core' : isBesideExpress ? '@jwt-auth/express' : undefined
  return surfaces.filter((surface) => surface.name === name || surface.name === other)
}

describe('the API of a published package', () => {
  it.each(surfaces.map((surface) => [surface.name, surface] as const))(
    'names no type that its users cannot import: %s',
    (_, surface) => {
      expect(findForgotten(surface, findExporters(surface))).toEqual([])
    },
  )

  it.each(surfaces.map((surface) => [surface.name, surface] as const))(
    'has a complete doc comment on each export and member: %s',
    (_, surface) => {
      expect(findCommentProblems(surface, checker)).toEqual([])
    },
  )
})

describe('the check of the API', () => {
  it('finds a type that is named and not exported, also behind other types', () => {
    expect(planted.surfaces.map((surface) => findForgotten(surface, [surface]))).toEqual([
      ['Forgotten, which Shown names', 'Deeper, which Forgotten names'],
    ])
  })

  it('finds missing comments, examples without a fence and links to nothing', () => {
    expect(planted.surfaces.map((surface) => findCommentProblems(surface, planted.checker))).toEqual([
      [
        'Shown has a link that cannot be resolved: Missing',
        'Shown.size has no comment',
        'Deeper has no comment',
        'show has an example without a fence',
      ],
    ])
  })
})
