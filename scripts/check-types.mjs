// Compiles the programs in packages/*/test/types, and imports of every entry point, against the packed packages: with several versions
// of TypeScript and the module settings of applications. Ignores mistakes in the declarations of other packages.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPackages } from './pack-packages.mjs'
import { run } from './processes.mjs'
import { publishedPackages, root } from './workspace.mjs'

const versions = ['5.6', '5.9', '6.0', '7.0']

const settings = {
  'nodenext ESM': { type: 'module', options: { module: 'nodenext' } },
  'nodenext CJS': { type: 'commonjs', options: { module: 'nodenext' } },
  bundler: { type: 'module', options: { module: 'esnext', moduleResolution: 'bundler' } },
  node10: { type: 'commonjs', options: { module: 'commonjs', moduleResolution: 'node10' } },
}

// TypeScript 6 calls node10 deprecated, and TypeScript 7 does not have it.
const toOptions = (setting, version) => {
  if (setting !== 'node10') return settings[setting].options
  if (version === '7.0') return undefined
  return { ...settings.node10.options, ...(version === '6.0' && { ignoreDeprecations: '6.0' }) }
}

const strictest = {
  target: 'es2022',
  lib: ['es2023'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  esModuleInterop: true,
  skipLibCheck: false,
  noEmit: true,
}

// What the programs and the declarations of the packages import.
const libraries = [
  '@types/node@20',
  '@types/express@5',
  '@types/express4@npm:@types/express@4',
  '@types/connect',
  'fastify',
  'knex',
  'redis',
  'libsql',
  '@node-rs/argon2',
]

const importOf = ({ name, publishConfig: { exports } }) =>
  Object.entries(exports)
    .filter(([, target]) => target.import?.types !== undefined)
    .map(([subpath]) => `import '${name}${subpath.slice(1)}'\nexport type * as _ from '${name}${subpath.slice(1)}'`)

const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-types-'))
const programs = join(folder, 'programs')

/** Writes the programs: those of the tests, and one file with an import of each entry point. Returns their names. */
const writePrograms = () => {
  mkdirSync(programs)
  for (const { folder: source } of publishedPackages()) {
    const tests = join(root, source, 'test', 'types')
    if (existsSync(tests)) cpSync(tests, programs, { recursive: true })
  }
  const imports = publishedPackages().flatMap(({ manifest }) => importOf(manifest))
  const lines = imports.map((line, position) => line.replace(' _ ', ` entry${position} `))
  writeFileSync(join(programs, 'entry-points.ts'), lines.join('\n'))
  return readdirSync(programs).map((name) => name.replace(/\.ts$/, ''))
}

const install = async () => {
  mkdirSync(join(folder, 'tarballs'))
  const tarballs = Object.values(await packPackages(join(folder, 'tarballs')))
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const compilers = versions.map((version) => `typescript-${version}@npm:typescript@${version}`)
  const packages = [...tarballs, ...libraries, ...compilers]
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder })
}

/** Compiles all programs. Returns the mistakes by program; mistakes in our own declarations are under `declarations`. */
const compile = (version, setting) => {
  const compilerOptions = { ...strictest, ...toOptions(setting, version) }
  const config = join(programs, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  writeFileSync(join(programs, 'package.json'), JSON.stringify({ type: settings[setting].type }))
  const compiler = join(folder, 'node_modules', `typescript-${version}`, 'bin', 'tsc')
  const { stdout, status } = spawnSync(process.execPath, [compiler, '--project', config, '--pretty', 'false'], {
    cwd: programs,
    encoding: 'utf8',
  })
  const lines = stdout.split('\n').filter((text) => /error TS\d+/.test(text))
  const mistakes = new Map()
  if (status !== 0 && lines.length === 0) mistakes.set('compiler', [`tsc ended with ${status}: ${stdout}`])
  for (const line of lines) {
    const [path] = line.split('(')
    if (path.includes('node_modules') && !path.includes('@jwt-auth')) continue
    const row = path.includes('node_modules') ? 'declarations' : path.replace(/\.ts$/, '')
    mistakes.set(row, [...(mistakes.get(row) ?? []), line])
  }
  return mistakes
}

try {
  await install()
  const rows = [...writePrograms(), 'declarations']
  const results = new Map()
  for (const setting of Object.keys(settings)) {
    for (const version of versions.filter((candidate) => toOptions(setting, candidate) !== undefined)) {
      results.set(`${setting}, TypeScript ${version}`, compile(version, setting))
    }
  }
  for (const [cell, mistakes] of results) {
    const failed = [...mistakes.keys()].map((row) => `${row} FAILED`)
    console.log(`${cell}: ${failed.length === 0 ? `${rows.length} programs passed` : failed.join(', ')}`)
    for (const lines of mistakes.values()) console.error(lines.join('\n'))
  }
  if ([...results.values()].some(({ size }) => size > 0)) process.exitCode = 1
  else console.log(`${results.size * rows.length} checks passed: ${rows.join(', ')}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
