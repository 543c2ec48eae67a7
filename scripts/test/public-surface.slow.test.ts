import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findCommentProblems } from './doc-comments.js'
import { readSurfaces, type Surface } from './public-surface.js'

const { surfaces, checker } = readSurfaces()
const planted = readSurfaces(
  new Map([['planted', [fileURLToPath(new URL('./planted-surface/index.ts', import.meta.url))]]]),
)

const root = new URL('../../', import.meta.url)

/** The text of the pages and the example programs. */
const readPages = (): string =>
  execFileSync('git', ['ls-files', 'docs', '*README.md', 'examples/*/src/*'], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((path) => /\.(md|ts|mts|tsx)$/.test(path) && existsSync(new URL(path, root)))
    .map((path) => readFileSync(new URL(path, root), 'utf8'))
    .join('\n')

/** Why names are exported that no page and no program shows. */
const reasons = {
  'types of parameters and results, for functions of an application': `AccessTokenClaims AuthSnapshot
    CookieOptions Credentials DpopOptions GuardOptions JsonWebKeySet KeyEntry KnexUsers LoginFailure LoginOptions
    NewSessionOptions OpenApiDocument RequestContext RequestLimit SessionSummary TestAuth TokenService
    TokenServiceOptions UserSession WebRequest toAuthError`,
  'ports that an application or an adapter may implement': `CreatedBefore Dpop EpochMs HashingQueue LimitCount LimitMark
    LimitWindow MigratableStorage PasswordHasher PooledClient RecentVerifier RedisScriptClient Rotation SchemaVersions
    SessionFilter SessionKey SqliteExecutor TokenStore UnreadableSession UpdateKeys maxIdsInBatch maxSessionsInList
    openSqlite`,
  'parts of the conformance suite': `AdapterUnderTest Capability ConformanceReport DamageSession HoldBackend Moment
    formatReport sampleSession sampleUser serveStorage`,
}

const explained = new Set(Object.values(reasons).flatMap((names) => names.split(/\s+/)))

describe('the API of a published package', () => {
  it('exports only what a page or an example shows, or what has a reason', () => {
    const words = new Set(readPages().match(/\w+/g))
    const names = new Set(surfaces.flatMap(({ exported }) => [...exported].map(({ name }) => name)))
    expect([...names].filter((name) => !words.has(name) && !explained.has(name))).toEqual([])
    expect([...explained].filter((name) => !names.has(name) || words.has(name))).toEqual([])
  })

  it('has at most 150 names in all packages together, and 60 in a program that imports express', () => {
    const namesOf = (chosen: readonly Surface[]) =>
      new Set(chosen.flatMap(({ exported }) => [...exported].map(({ name }) => name))).size
    expect(namesOf(surfaces)).toBeLessThanOrEqual(150)
    // Seven of them are in its subpaths.
    expect(namesOf(surfaces.filter(({ name }) => name === '@jwt-auth/express'))).toBeLessThanOrEqual(67)
  })

  it.each(surfaces.map((surface) => [surface.name, surface] as const))(
    'has a complete doc comment on each export and member: %s',
    (_, surface) => {
      expect(findCommentProblems(surface, checker)).toEqual([])
    },
  )
})

describe('the check of the API', () => {
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
