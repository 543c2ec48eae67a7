// Compiles the programs in packages/*/test/types and of this folder, and imports of every entry point,
// with the oldest and the newest version of TypeScript, and the module settings of applications.
// Ignores mistakes in the declarations of other packages.
import { execFile } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publishedPackages, root } from '../workspace.mjs'

// 5.4 is the first version with `NoInfer`.
const versions = ['5.4', '7.0']
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
  for (const program of ['inferred-values.ts', 'sqlite-drivers.ts', wrongUsages]) {
    copyFileSync(new URL(program, import.meta.url), join(folder, program))
  }
  const lines = entryPoints.map((name, position) => `import '${name}'\nexport type * as _${position} from '${name}'`)
  writeFileSync(join(folder, 'entry-points.ts'), lines.join('\n'))
}

const wrongUsages = 'wrong-usages.ts'

/** Returns what the compiler did not say about wrong usages, and what it said without being expected. */
const findUnexpected = (messages, usages) => {
  const expected = usages.split('\n').flatMap((line, index) => {
    const [, text] = /^ {2}\/\/ (.*)/.exec(line) ?? []
    return text === undefined ? [] : [{ start: `${wrongUsages}(${index + 2},`, text }]
  })
  const isMet = ({ start, text }, message) => message.startsWith(start) && message.includes(text)
  const unmet = expected.filter((one) => !messages.some((message) => isMet(one, message)))
  return [
    ...unmet.map(({ start, text }) => `${start}…): no error with: ${text}`),
    ...messages.filter((message) => !expected.some((one) => isMet(one, message))),
  ]
}

/** Compiles all programs, and throws the mistakes in them and in our declarations. */
const compile = async (folder, { type, options }, version) => {
  const output = { noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: 'declarations' }
  const compilerOptions = { ...strictOptions, ...output, target: 'es2022', lib: ['es2023'], ...options }
  // The types of Node 20 do not have `node:sqlite`.
  const config = { compilerOptions, include: ['*.ts', '../node_modules/@types/node26/sqlite.d.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
  const compiler = join(folder, '..', 'node_modules', `typescript-${version}`, 'bin', 'tsc')
  const args = [compiler, '--project', '.', '--pretty', 'false']
  // The compiler finds the wrong usages, so the call rejects.
  const { stdout, code } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch((error) => error)
  // Further lines of a message are indented.
  const messages = stdout.split(/\n(?=\S)/).filter((message) => /error TS\d+/.test(message))
  const isOurs = (message) => !/^\S*node_modules/.test(message) || /^\S*@jwt-auth/.test(message)
  const ofUsages = messages.filter((message) => message.startsWith(wrongUsages))
  const lines = messages.filter((message) => !ofUsages.includes(message))
  const usages = readFileSync(join(folder, wrongUsages), 'utf8')
  const mistakes = [...lines.filter(isOurs), ...findUnexpected(ofUsages, usages)]
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  if (code !== undefined && messages.length === 0) throw new Error(`tsc ended with ${code}: ${stdout}`)
  // With pnpm, applications cannot import these entries. Editors show the same types: the members of a
  // row, not how the type of the row is computed.
  const names = readFileSync(join(folder, 'declarations', 'inferred-values.d.ts'), 'utf8')
  const [unreadable] = names.match(/import\("@jwt-auth\/(core|passwords)\/.*?\)\.\w+|\bOmit<.*/) ?? []
  if (unreadable !== undefined) throw new Error(`an application cannot name or read the type of a value: ${unreadable}`)
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
