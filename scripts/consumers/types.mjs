// Compiles the programs in packages/*/test/types, and imports of every entry point, with the oldest
// and the newest version of TypeScript, and the module settings of applications. Ignores mistakes in
// the declarations of other packages.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publishedPackages, root } from '../workspace.mjs'

const versions = ['5.6', '7.0']
const [oldest, newest] = versions

const settings = {
  'nodenext ESM': { versions, type: 'module', options: { module: 'nodenext' } },
  'nodenext CJS': { versions: [oldest], type: 'commonjs', options: { module: 'nodenext' } },
  bundler: { versions: [newest], type: 'module', options: { module: 'esnext', moduleResolution: 'bundler' } },
  // TypeScript 7 does not have it.
  node10: { versions: [oldest], type: 'commonjs', options: { module: 'commonjs', moduleResolution: 'node10' } },
}

/** The strict options of applications. */
export const strictOptions = {
  target: 'es2023',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  esModuleInterop: true,
  skipLibCheck: false,
  noEmit: true,
}

/** The packages of the compilers. */
export const compilers = versions.map((version) => `typescript-${version}@npm:typescript@${version}`)

const writePrograms = (folder, entryPoints) => {
  mkdirSync(folder, { recursive: true })
  for (const { folder: source } of publishedPackages()) {
    const tests = join(root, source, 'test', 'types')
    if (existsSync(tests)) cpSync(tests, folder, { recursive: true })
  }
  const lines = entryPoints.map((name, position) => `import '${name}'\nexport type * as _${position} from '${name}'`)
  writeFileSync(join(folder, 'entry-points.ts'), lines.join('\n'))
}

/** Compiles all programs, and throws the mistakes in them and in our declarations. */
const compile = (folder, { type, options }, version) => {
  const config = { compilerOptions: { ...strictOptions, lib: ['es2023'], ...options }, include: ['*.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
  const compiler = join(folder, '..', 'node_modules', `typescript-${version}`, 'bin', 'tsc')
  const args = [compiler, '--project', '.', '--pretty', 'false']
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  const lines = stdout.split('\n').filter((line) => /error TS\d+/.test(line))
  const isOurs = (line) => !line.includes('node_modules') || line.includes('@jwt-auth')
  if (lines.some(isOurs)) throw new Error(lines.filter(isOurs).join('\n'))
  if (status !== 0 && lines.length === 0) throw new Error(`tsc ended with ${status}: ${stdout}`)
  return 'types pass'
}

/** Returns a check for each module setting and compiler. */
export const listTypeChecks = (entryPoints) =>
  Object.entries(settings).flatMap(([name, setting]) =>
    setting.versions.map((version) => ({
      title: `types, ${name}, TypeScript ${version}`,
      check: async (cwd) => {
        const folder = join(cwd, 'programs')
        writePrograms(folder, entryPoints)
        return compile(folder, setting, version)
      },
    })),
  )
