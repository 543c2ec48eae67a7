import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { errorTable } from '../src/errors/error-table.js'
import { findNodes, linesOf, type Source, type SourceImport, sources } from './support/sources.js'

const packageSources = sources.filter(({ workspace }) => workspace.startsWith('packages/'))
const exampleSources = sources.filter(({ workspace }) => workspace.startsWith('examples/'))
const coreSources = sources.filter(({ workspace }) => workspace === 'packages/core')
const storageSources = packageSources.filter(({ workspace }) => /^packages\/(storage-|passwords$)/.test(workspace))

const packageNameOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

const isExternal = ({ specifier, target }: SourceImport): boolean =>
  target === undefined && !specifier.startsWith('node:')

/** `place imports "x"` for each import that a rule refuses. */
const findImports = (
  among: readonly Source[],
  isRefused: (found: SourceImport, source: Source) => boolean,
): readonly string[] =>
  among.flatMap((source) =>
    source.imports
      .filter((found) => isRefused(found, source))
      .map(({ place, specifier }) => `${place} imports "${specifier}"`),
  )

const isNamed = (node: ts.Node, name: string): boolean => ts.isIdentifier(node) && node.text === name

const isMemberOf = (node: ts.Node, object: string, member: string): boolean =>
  ts.isPropertyAccessExpression(node) && isNamed(node.expression, object) && node.name.text === member

describe('a source file of a package', () => {
  const system = 'packages/core/src/system.ts'
  // The client also runs in browsers. The command line is a program. Telemetry measures durations. The
  // conformance suite compares with the clock of a database.
  const environment = 'packages/client/src/environment.ts'
  const elsewhere = packageSources.filter(
    ({ path }) =>
      path !== system &&
      path !== environment &&
      path !== 'packages/opentelemetry/src/subscribe-to-calls.ts' &&
      path !== 'packages/storage-conformance/src/cases/clean-up.ts' &&
      !/^packages\/cli\/src\/(cli|commands\/keys)\.ts$/.test(path),
  )

  const readsClock = (node: ts.Node): boolean =>
    isMemberOf(node, 'Date', 'now') ||
    isMemberOf(node, 'process', 'hrtime') ||
    isMemberOf(node, 'process', 'uptime') ||
    (ts.isNewExpression(node) && isNamed(node.expression, 'Date') && (node.arguments ?? []).length === 0) ||
    (ts.isCallExpression(node) && isNamed(node.expression, 'Date')) ||
    (isNamed(node, 'performance') && !ts.isPropertyAssignment(node.parent))

  it('reads no clock unless it is system.ts of core or environment.ts of the client', () => {
    expect(findNodes(elsewhere, readsClock)).toEqual([])
    expect(findNodes(coreSources, readsClock).join()).toContain(system)
  })

  // Only pages that import the entry `dpop` use WebCrypto.
  const withoutDpop = elsewhere.filter(({ path }) => !/^packages\/client\/src\/dpop-(keys|proof)\.ts$/.test(path))

  it('generates no random bytes unless it is system.ts of core, or environment.ts or the keys of the client', () => {
    const sourcesOfRandomness = /^(random|getRandomValues|webcrypto|crypto$|generateKey|pseudoRandomBytes)/
    const imported = findImports(
      withoutDpop,
      ({ specifier, names, isTypeOnly }) =>
        specifier === 'node:crypto' &&
        !isTypeOnly &&
        (names.length === 0 || names.some((name) => sourcesOfRandomness.test(name))),
    )
    const called = findNodes(
      withoutDpop,
      (node) =>
        isMemberOf(node, 'Math', 'random') ||
        (ts.isPropertyAccessExpression(node) && isNamed(node.expression, 'crypto')) ||
        isMemberOf(node, 'globalThis', 'crypto'),
    )
    expect([...imported, ...called]).toEqual([])
  })

  it('takes timers and the system from an argument, except in four files of storage-sql and two of passwords', () => {
    const among = withoutDpop.filter(({ path }) => !/^packages\/(cli|testing|storage-conformance)\//.test(path))
    const places = findNodes(
      among,
      (node) =>
        isMemberOf(node, 'AbortSignal', 'timeout') ||
        (ts.isCallExpression(node) && /^setTimeout\(/.test(node.getText())) ||
        (ts.isIdentifier(node) && node.text === 'machineSystem' && !/Specifier$/.test(ts.SyntaxKind[node.parent.kind])),
    )
    expect(new Set(places.map((place) => place.split(':', 1)[0]))).toEqual(
      new Set([
        'packages/passwords/src/is-breached-password.ts',
        'packages/passwords/src/rehash.ts',
        'packages/storage-sql/src/connection-runner.ts',
        'packages/storage-sql/src/executors/sqlite.ts',
        'packages/storage-sql/src/migrate.ts',
        'packages/storage-sql/src/query-runner.ts',
      ]),
    )
  })
})

describe('the environment of the process', () => {
  const readsEnvironment = (node: ts.Node): boolean =>
    isMemberOf(node, 'process', 'env') ||
    (ts.isImportSpecifier(node) &&
      (node.propertyName ?? node.name).text === 'env' &&
      /['"](node:)?process['"]/.test(node.parent.parent.parent.getText()))

  it('is read by no package, except for the command line and the time zone that the conformance suite sets', () => {
    const others = packageSources.filter(
      ({ path }) => path !== 'packages/storage-conformance/src/cases/precision.ts' && !path.startsWith('packages/cli/'),
    )
    expect(findNodes(others, readsEnvironment)).toEqual([])
  })

  it.each([...new Set(exampleSources.map(({ workspace }) => workspace))])(
    'is read in at most one file of %s',
    (one) => {
      const places = findNodes(
        exampleSources.filter(({ workspace }) => workspace === one),
        readsEnvironment,
      )
      const files = new Set(places.map((place) => place.split(':', 1)[0]))
      expect([...files].slice(1)).toEqual([])
    },
  )
})

describe('the external imports', () => {
  it('of packages include no web framework', () => {
    const frameworks = new Set(['express', 'express4', 'connect', 'fastify', 'koa', 'hono', '@types/express'])
    expect(findImports(packageSources, ({ specifier }) => frameworks.has(packageNameOf(specifier)))).toEqual([])
  })

  it('of packages include knex in storage-knex only', () => {
    const others = packageSources.filter(({ workspace }) => workspace !== 'packages/storage-knex')
    expect(findImports(others, ({ specifier }) => packageNameOf(specifier) === 'knex')).toEqual([])
  })

  it.each([
    ['core', ['ecdsa-sig-formatter', 'jsonwebtoken', 'lru-cache']],
    ['passwords', ['@jwt-auth/core', 'bcrypt', '@node-rs/argon2']],
  ])('of the package %s are the modules of Node and %j', (name, allowed) => {
    const among = sources.filter(({ workspace }) => workspace === `packages/${name}`)
    expect(
      findImports(among, (found) => isExternal(found) && !allowed.includes(packageNameOf(found.specifier))),
    ).toEqual([])
  })

  it.each([
    ['jsonwebtoken', ['access-token/sign-access-token.ts']],
    ['ecdsa-sig-formatter', ['access-token/sign-access-token.ts']],
    ['lru-cache', ['access-token/verify-access-token.ts', 'dpop/proof.ts', 'limits/limiter.ts']],
    ['bcrypt', ['bcrypt.ts']],
    ['@node-rs/argon2', ['argon2id.ts']],
  ])('of packages include %s in these files only: %j', (name, inner) => {
    const places = packageSources.filter(({ imports }) => imports.some(({ specifier }) => specifier === name))
    expect(places.map((source) => source.inner)).toEqual(inner)
  })

  it('of packages load jsonwebtoken, bcrypt and argon2 dynamically, at the first signature or hash', () => {
    const isStatic = (node: ts.Node): boolean =>
      ts.isImportDeclaration(node) &&
      /['"](jsonwebtoken|bcrypt|@node-rs\/argon2)['"]/.test(node.moduleSpecifier.getText())
    expect(findNodes(packageSources, isStatic)).toEqual([])
  })
})

describe('the dependencies between packages', () => {
  it('of core are none', () => {
    expect(findImports(coreSources, ({ specifier }) => specifier.startsWith('@jwt-auth/'))).toEqual([])
  })

  it('of the client are none', () => {
    const client = packageSources.filter(({ workspace }) => workspace === 'packages/client')
    expect(findImports(client, isExternal)).toEqual([])
    expect(findImports(client, ({ specifier }) => specifier.startsWith('node:'))).toEqual([])
  })

  it('of all packages but core are core, and passwords, storage-sql, express and storage-memory in the packages listed here', () => {
    const outer = packageSources.filter(({ workspace }) => workspace !== 'packages/core')
    const others: Readonly<Record<string, readonly string[]>> = {
      // `@jwt-auth/cli` and `@jwt-auth/opentelemetry` for their own versions.
      'packages/cli': ['@jwt-auth/cli', '@jwt-auth/express'],
      'packages/express': ['@jwt-auth/passwords'],
      'packages/opentelemetry': ['@jwt-auth/opentelemetry'],
      'packages/storage-knex': ['@jwt-auth/passwords', '@jwt-auth/storage-sql'],
      'packages/testing': ['@jwt-auth/express', '@jwt-auth/storage-memory'],
    }
    expect(
      findImports(outer, ({ specifier }, { workspace }) => {
        const name = packageNameOf(specifier)
        const isAllowed = name === '@jwt-auth/core' || others[workspace]?.includes(name)
        return specifier.startsWith('@jwt-auth/') && !isAllowed
      }),
    ).toEqual([])
  })

  it('of storage packages and passwords on subpaths of core are on core/adapter and core/internal alone', () => {
    expect(
      findImports(
        storageSources,
        ({ specifier }) =>
          specifier.startsWith('@jwt-auth/core/') && !/^@jwt-auth\/core\/(adapter|internal)$/.test(specifier),
      ),
    ).toEqual([])
  })

  it('do not include the internal exports of another package', () => {
    expect(findImports(packageSources, ({ specifier }) => /^@jwt-auth\/.+\/internal\//.test(specifier))).toEqual([])
  })

  it('are imported by the name of the package, never by a path', () => {
    expect(
      findImports(sources, ({ target }, { workspace }) => target !== undefined && !target.startsWith(`${workspace}/`)),
    ).toEqual([])
  })
})

describe('the layers of core', () => {
  const layerOf = (inner: string): string =>
    inner.includes('/') ? inner.slice(0, inner.indexOf('/')) : inner.replace(/\.ts$/, '')

  const belowOperations = [
    'access-token',
    'call-in-time',
    'checked',
    'dpop',
    'errors',
    'events',
    'fair-queue',
    'keys',
    'limits',
    'network',
    'option-checks',
    'options',
    'ports',
    'session',
    'system',
    'tracing',
    'user-id',
    'warn-once',
  ]

  /** Each layer, and the other layers that it may import. The lowest layer is first. */
  const layers: Readonly<Record<string, readonly string[]>> = {
    system: [],
    documentation: [],
    'warn-once': [],
    network: [],
    errors: ['documentation', 'system'],
    'call-in-time': ['errors', 'system'],
    'option-checks': ['documentation', 'system'],
    ports: ['system'],
    'fair-queue': ['errors', 'network', 'ports', 'system'],
    'user-id': ['option-checks', 'ports'],
    keys: ['option-checks', 'ports', 'system'],
    session: ['option-checks', 'ports', 'system'],
    events: ['errors', 'ports', 'session', 'system'],
    tracing: ['events'],
    limits: [
      'errors',
      'events',
      'fair-queue',
      'network',
      'option-checks',
      'ports',
      'system',
      'tracing',
      'user-id',
      'warn-once',
    ],
    checked: ['errors', 'option-checks', 'ports', 'system', 'tracing', 'user-id'],
    'access-token': ['call-in-time', 'errors', 'keys', 'option-checks', 'ports', 'session', 'system', 'user-id'],
    dpop: ['access-token', 'errors', 'keys', 'option-checks', 'ports', 'system'],
    options: ['dpop', 'errors', 'events', 'keys', 'limits', 'option-checks', 'ports', 'session', 'system'],
    operations: belowOperations,
    'token-service': [...belowOperations, 'operations'],
    wire: [
      'access-token',
      'dpop',
      'errors',
      'keys',
      'network',
      'operations',
      'option-checks',
      'ports',
      'session',
      'token-service',
      'wire',
    ],
    adapter: ['checked', 'ports', 'session', 'system'],
    internal: [...belowOperations, 'operations', 'token-service', 'wire'],
    index: [...belowOperations, 'operations', 'token-service'],
  }

  const layersOfTarget = ({ target }: SourceImport): string | undefined =>
    target && layerOf(target.replace('packages/core/src/', ''))

  it('may import only layers that stand above them in the list', () => {
    const order = Object.keys(layers)
    const upward = order.flatMap((layer, place) =>
      (layers[layer] ?? []).filter((imported) => imported !== layer && order.indexOf(imported) > place),
    )
    expect(upward).toEqual([])
  })

  it('contain every file of core', () => {
    const unknown = coreSources.filter(({ inner }) => layers[layerOf(inner)] === undefined)
    expect(unknown.map(({ path }) => path)).toEqual([])
  })

  it.each(Object.keys(layers))('allow %s to import lower layers only', (layer) => {
    const allowed = [layer, ...(layers[layer] ?? [])]
    const among = coreSources.filter(({ inner }) => layerOf(inner) === layer)
    expect(among.length).toBeGreaterThan(0)
    expect(
      findImports(among, (found) => {
        const target = layersOfTarget(found)
        return target !== undefined && !allowed.includes(target)
      }),
    ).toEqual([])
  })

  it('allow wire to import only types from other layers than dpop, errors, network and option-checks', () => {
    const among = coreSources.filter(({ inner }) => inner.startsWith('wire/'))
    expect(
      findImports(among, (found) => {
        const target = layersOfTarget(found)
        return (
          target !== undefined &&
          !['wire', 'dpop', 'errors', 'network', 'option-checks'].includes(target) &&
          !found.isTypeOnly
        )
      }),
    ).toEqual([])
  })

  it('contain no async function in session, access-token and keys, except in what calls a signer or the option claims', () => {
    const others = ['access-token/host-claims.ts', 'access-token/sign-access-token.ts']
    const pure = coreSources.filter(
      ({ inner }) => /^(session|access-token|keys)\//.test(inner) && !others.includes(inner),
    )
    expect(findNodes(pure, (node) => ts.isAwaitExpression(node) || node.kind === ts.SyntaxKind.AsyncKeyword)).toEqual(
      [],
    )
  })
})

describe('the source files', () => {
  it('have no circular imports', () => {
    const imports = new Map(
      sources.map(({ path, imports: all }) => [
        path,
        all.flatMap(({ target }) => (target === undefined ? [] : target)),
      ]),
    )
    const circles: string[] = []
    const done = new Set<string>()
    const walk = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) circles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '))
      if (done.has(path) || trail.includes(path)) return
      for (const next of imports.get(path) ?? []) walk(next, [...trail, path])
      done.add(path)
    }
    for (const path of imports.keys()) walk(path, [])
    expect(circles).toEqual([])
  })

  it('have no empty names such as utils, helper or manager', () => {
    const empty = /(^|[-/])(utils?|helpers?|managers?|common|misc)([-./]|$)/
    expect(sources.map(({ path }) => path).filter((path) => empty.test(path))).toEqual([])
  })
})

describe('the types of the source files', () => {
  it('are asserted with `as` only below a comment with the reason', () => {
    const asserted = sources.flatMap((source) => {
      const lines = linesOf(source)
      const lineOf = (node: ts.Node): number => source.tree.getLineAndCharacterOfPosition(node.getStart()).line
      const isUnderComment = (line: number): boolean => /^\s*(\/\/|\/?\*)/.test(lines[line - 1] ?? '')
      const isExplained = (node: ts.Node): boolean => {
        const statement = ts.findAncestor(node, ts.isStatement)
        return isUnderComment(lineOf(node)) || (statement !== undefined && isUnderComment(lineOf(statement)))
      }
      return findNodes([source], (node) => {
        if (ts.isTypeAssertionExpression(node)) return true
        return ts.isAsExpression(node) && node.type.getText() !== 'const' && !isExplained(node)
      })
    })
    expect(asserted).toEqual([])
  })
})

describe('the HTTP contract', () => {
  const isStatus = (node: ts.Node): boolean =>
    ts.isNumericLiteral(node) && /^(401|403|404|405|413|415|429|503)$/.test(node.text)

  it('has its status numbers in the table of errors, the folder wire, the OpenAPI document and the client', () => {
    const contract = /^packages\/(core\/src\/(errors\/error-table\.ts|wire\/)|express\/src\/openapi\.ts|client\/src\/)/
    const others = packageSources.filter(({ path }) => !contract.test(path))
    expect(findNodes(others, isStatus)).toEqual([])
    expect(findNodes(coreSources, isStatus)).not.toEqual([])
  })

  const isCode = (node: ts.Node): boolean => ts.isStringLiteralLike(node) && Object.hasOwn(errorTable, node.text)

  it('has codes that files other than errors, wire and the OpenAPI document only throw and compare', () => {
    const others = packageSources.filter(
      ({ path }) => !/^packages\/(core\/src\/(errors|wire)\/|express\/src\/openapi)/.test(path),
    )
    const isThrown = ({ parent }: ts.Node): boolean =>
      ts.isNewExpression(parent) && isNamed(parent.expression, 'AuthError')
    const isCompared = ({ parent }: ts.Node): boolean =>
      ts.isBinaryExpression(parent) &&
      ts.isPropertyAccessExpression(parent.left) &&
      parent.left.name.text === 'code' &&
      [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken].includes(
        parent.operatorToken.kind,
      )
    expect(findNodes(others, (node) => isCode(node) && !isThrown(node) && !isCompared(node))).toEqual([])
  })
})

describe('a package', () => {
  it('never ends the process, except for the commands and the child processes of the conformance suite', () => {
    const suite = ['cli.ts', 'storage-processes.ts'].map((file) => `packages/storage-conformance/src/${file}`)
    const others = packageSources.filter(({ path }) => ![...suite, 'packages/cli/src/cli.ts'].includes(path))
    expect(
      findNodes(others, (node) => isMemberOf(node, 'process', 'exit') || isMemberOf(node, 'process', 'abort')),
    ).toEqual([])
  })
})
