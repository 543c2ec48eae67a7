import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { Script } from 'node:vm'
import { runCli } from '../../../packages/cli/src/run-cli.js'
import { defaultNamespace, matchRoute } from '../../../packages/core/src/wire/routes.js'
import { type Block, listFiles, read, root } from './pages.js'

interface Manifest {
  readonly name: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: object
  readonly devDependencies?: object
  readonly peerDependencies?: object
}

const readManifest = (path: string): Manifest => JSON.parse(readFileSync(`${root}${path}`, 'utf8'))
const { scripts = {}, ...rootManifest } = readManifest('package.json')
const manifests: readonly Manifest[] = [
  rootManifest,
  ...['packages', 'examples', 'internal'].flatMap((parent) =>
    readdirSync(`${root}${parent}`).map((name) => readManifest(`${parent}/${name}/package.json`)),
  ),
]
const packageNames = new Set(
  manifests.flatMap(({ name, dependencies, devDependencies, peerDependencies }) => [
    name,
    ...[dependencies, devDependencies, peerDependencies].flatMap((names = {}) => Object.keys(names)),
  ]),
)

/** Returns what is wrong with the commands of a block: programs, scripts, options and paths that do not exist. */
export const checkCommands = async ({ page, text }: Block): Promise<readonly string[]> => {
  const lines = text
    .trimEnd()
    .replaceAll(/ *\\\n */g, ' ')
    .split('\n')
  return (await Promise.all(lines.map((line) => checkLine(line, page)))).flat()
}

const checkLine = async (line: string, page: string): Promise<readonly string[]> => {
  const [, output] = /^# (\{.*)$/.exec(line) ?? []
  if (output !== undefined) return checkJson(output)
  // A function, or a variable with the output of a command.
  const [, inner] = /^\w+\(\) \{ (.*); \}$/.exec(line) ?? /^export \w+=\$\((.*)\)$/.exec(line) ?? []
  if (inner !== undefined) return checkLine(inner, page)
  const words = toWords(line)
  const [program = '', ...args] = words.slice(words.findIndex((word) => !/^\w+=/.test(word) && word !== 'export'))
  if (words.every((word) => /^\w+=|^export$/.test(word))) return []
  return programs[program]?.(args, page) ?? [`no check of the program ${program}`]
}

/** Returns the words of a command without its comment, its input and the quotes. */
const toWords = (line: string): readonly string[] =>
  [...line.replace(/ < \S+/, '').matchAll(/(?<= |^)#.*|(?:"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'])+/g)]
    .map(([word]) => word)
    .filter((word) => !word.startsWith('#'))
    .map((word) =>
      word.replaceAll(
        /"((?:\\.|[^"\\])*)"|'([^']*)'/g,
        (_, double = '', single?: string) => single ?? double.replaceAll(/\\(["\\$])/g, '$1'),
      ),
    )

const check = (isRight: boolean, message: string): readonly string[] => (isRight ? [] : [message])

/** Returns why a text is no JSON. */
export const checkJson = (text: string): readonly string[] => {
  try {
    JSON.parse(text)
    return []
  } catch (error) {
    return [String(error)]
  }
}

type Check = (args: readonly string[], page: string) => readonly string[] | Promise<readonly string[]>

const checkNpm: Check = ([command = '', ...args]) => {
  if (command === 'install') {
    return args
      .filter((name) => !name.startsWith('--') && !packageNames.has(name.replace(/(?!^)@.*/, '')))
      .map((name) => `the package ${name} is unknown`)
  }
  const [name = '', ...words] = command === 'run' ? args : [command, ...args]
  const script = scripts[name]
  return script === undefined
    ? [`there is no npm script ${name}`]
    : checkWords(
        script,
        words.filter((word) => word !== '--'),
      )
}

/** Returns the arguments of a script that its sources do not contain as an option or a text. */
const checkWords = (script: string, words: readonly string[]): readonly string[] => {
  if (script.startsWith('vitest')) return checkPaths(words)
  const [, main] = /(\S+\.(?:ts|mjs))$/.exec(script) ?? []
  if (main === undefined) return []
  const folder = main.replace(/(?<=\/src\/).*|[^/]*$/, '')
  const code = listFiles(folder)
    .filter((path) => /\.(ts|mjs)$/.test(path))
    .map(read)
    .join('\n')
  return words
    .filter((word) => !/^[A-Z]+$|^\d|^\/path\//.test(word) && !existsSync(`${root}${word}`))
    .map((word) => word.replace(/^--/, ''))
    .filter((word) => !new RegExp(`['"]${word}['"]|--${word}\\b|\\b${word}: ?\\{|^ +${word}:`, 'm').test(code))
    .map((word) => `${main} does not know ${word}`)
}

const checkPaths = (words: readonly string[]): readonly string[] =>
  words.filter((word) => !word.startsWith('-') && !existsSync(`${root}${word}`)).map((word) => `${word} does not exist`)

const checkNpx: Check = (args) => {
  const [program = '', ...rest] = args
  if (program === '@jwt-auth/cli') return checkCli(rest)
  // Outside of the repository, npx runs the tests of the reader. docs.test.ts checks the names of all programs.
  return program === 'vitest' ? checkPaths(rest.slice(1)) : []
}

/** Runs a command without a configuration, so that it only checks its own arguments. */
const checkCli = async (args: readonly string[]): Promise<readonly string[]> => {
  const printed: string[] = []
  await runCli([...args, '--config', `${root}missing.config.ts`], {
    stdin: Readable.from([]),
    stdout: { write: () => true },
    stderr: { write: (text) => printed.push(text) },
    now: Date.now,
    signal: new AbortController().signal,
  })
  return printed.filter((text) => /^error: |^Usage: /m.test(text))
}

const checkNode: Check = (args, page) => {
  const code = args[args.indexOf('-e') + 1]
  if (args.includes('-e')) return check(code !== undefined && isScript(code), `not JavaScript: ${code}`)
  const file = args.at(-1) ?? ''
  const isNamed = read(page).split(file).length > 2 || existsSync(`${root}${dirname(page)}/${file}`)
  return check(isNamed, `the page does not say what ${file} is`)
}

const isScript = (code: string): boolean => {
  try {
    return new Script(code) instanceof Script
  } catch {
    return false
  }
}

const checkCurl: Check = (args, page) => {
  const valueAfter = (option: string) => (args.includes(option) ? args[args.indexOf(option) + 1] : undefined)
  const body = valueAfter('-d')
  const path = args.map((word) => /^(?:http:\/\/localhost:\d+|\$URL)(\/.*)$/.exec(word)?.[1]).find(Boolean) ?? ''
  return [
    ...(body === undefined ? [] : checkJson(body)),
    ...checkRoute(valueAfter('-X') ?? (body === undefined ? 'GET' : 'POST'), path, page),
  ]
}

/** A route of jwt-auth exists. Other routes are in the page or in the sources of an example. */
export const checkRoute = (method: string, path: string, page: string): readonly string[] => {
  if (path.startsWith(`${defaultNamespace}/`)) {
    const match = matchRoute({ namespace: defaultNamespace, sessionRoutes: true }, method, path)
    return check(match?.route?.method === method, `there is no route ${method} ${path}`)
  }
  const isShown = [read(page), ...exampleCode()].some((text) =>
    [`'${path}'`, `\`${path}\``].some((quoted) => text.includes(quoted)),
  )
  return check(isShown, `no program has the route ${path}`)
}

const exampleCode = (): readonly string[] =>
  listFiles('examples/')
    .filter((path) => /\/src\/.*\.m?ts$/.test(path))
    .map(read)

const programs: Readonly<Record<string, Check>> = {
  npm: checkNpm,
  npx: checkNpx,
  node: checkNode,
  curl: checkCurl,
  echo: () => [],
  git: () => [],
  openssl: () => [],
}
