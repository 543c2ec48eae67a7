import { existsSync, readdirSync } from 'node:fs'
import ts from 'typescript'
import { type Block, read, root } from './pages.js'

const folder = `${root}scripts/test/code-blocks/`
const prelude = `${folder}prelude.ts`

/** Where the packages that a page imports may be installed. */
const workspaces = ['packages', 'examples', 'internal'].flatMap((parent) =>
  readdirSync(`${root}${parent}`).map((name) => `${root}${parent}/${name}/page.ts`),
)

/** The options that a service needs, for `…` in an object. */
const requiredOptions = ['secret', 'issuer', 'users', 'storage']

/**
 * Checks the types of blocks in one program, against the sources of the packages. Returns the
 * messages, each with its place in a page. In an object, `…` stands for the required options that
 * the object does not name. As an argument, `…` stands for a handler.
 */
export const checkTypes = (blocks: readonly Block[]): readonly string[] => {
  const files = new Map(blocks.map((block, index) => [`${folder}block-${index}${extensionOf(block)}`, block]))
  const texts = new Map([...files].map(([path, { text }]) => [path, `${fillIn(text)}\nexport {}\n`]))
  const { config } = ts.readConfigFile(`${root}tsconfig.base.json`, ts.sys.readFile)
  const { options: base } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const options = {
    ...base,
    lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    allowJs: true,
    checkJs: true,
    noImplicitReturns: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    noPropertyAccessFromIndexSignature: false,
  }
  const program = ts.createProgram([prelude, ...texts.keys()], options, createHost(options, texts))
  const checked = [prelude, ...texts.keys()].map((path) => program.getSourceFile(path))
  return checked.flatMap((file) =>
    [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
      .filter((diagnostic) => !isAllowed(diagnostic))
      .map((diagnostic) => describeDiagnostic(diagnostic, files)),
  )
}

const extensionOf = ({ language, text }: Block): string =>
  /^\/\/ \S+\.cjs\n/.test(text) ? '.cjs' : language === 'js' ? '.mjs' : '.mts'

const createHost = (options: ts.CompilerOptions, texts: ReadonlyMap<string, string>): ts.CompilerHost => {
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = (path) => texts.has(path) || fileExists(path)
  host.readFile = (path) => texts.get(path) ?? readFile(path)
  const cache = ts.createModuleResolutionCache(root, (path) => path, options)
  host.resolveModuleNameLiterals = (literals, from, redirected, _options, file) => {
    const mode = (literal: ts.StringLiteralLike) => ts.getModeForUsageLocation(file, literal, options)
    const resolveFrom = (path: string, literal: ts.StringLiteralLike) =>
      ts.resolveModuleName(literal.text, path, options, host, cache, redirected, mode(literal))
    return literals.map((literal) => {
      const isOfPage = (texts.has(from) || from === prelude) && !literal.text.startsWith('.')
      const places = isOfPage ? workspaces : [from]
      for (const path of places) {
        const { resolvedModule } = resolveFrom(path, literal)
        if (resolvedModule !== undefined) return { resolvedModule }
      }
      return { resolvedModule: undefined }
    })
  }
  return host
}

const fillIn = (text: string): string => {
  const named = text.replaceAll(/(['"`])(?:\\.|(?!\1)[^\\])*?\1|\/\/.*|…/g, (token) =>
    token === '…' ? 'omitted' : token,
  )
  const file = ts.createSourceFile('block.ts', named, ts.ScriptTarget.Latest, true)
  const edits: { readonly node: ts.Node; readonly text: string }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isShorthandPropertyAssignment(node) && node.name.text === 'omitted') {
      const names = node.parent.properties.map(({ name }) => name?.getText())
      edits.push({ node, text: requiredOptions.filter((name) => !names.includes(name)).join(', ') })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return edits.reduceRight(
    (filled, { node, text: names }) => `${filled.slice(0, node.getStart())}${names}${filled.slice(node.getEnd())}`,
    named,
  )
}

/** A block may be the body of a handler, import a module of the reader, and in JavaScript omit the types. */
const isAllowed = ({ code, file, messageText }: ts.Diagnostic): boolean => {
  const isReturnOutside = code === 1108
  const isModuleOfReader = code === 2307 && typeof messageText === 'string' && messageText.includes("module '.")
  const isMissingType = (code >= 7000 && code < 7100) || code === 2810
  return isReturnOutside || isModuleOfReader || (isMissingType && /\.[cm]js$/.test(file?.fileName ?? ''))
}

const describeDiagnostic = (
  { file, start = 0, messageText }: ts.Diagnostic,
  files: ReadonlyMap<string, Block>,
): string => {
  const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1
  const place = files.get(file?.fileName ?? '')?.place ?? file?.fileName
  return `${place}, line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
}

const withoutIndent = (code: string): string => code.replaceAll(/^ +/gm, '')

/** Returns the file that a block names in its first line and shows a part of. `undefined` if it names none. */
export const findShownFile = ({ text }: Block): string | undefined => {
  const [, name] = /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text) ?? []
  const paths = ['frameworks', 'other-services', 'own-routes'].map((example) => `examples/${example}/src/${name}`)
  return paths.find((path) => existsSync(`${root}${path}`))
}

/** Returns whether a block shows consecutive lines of the file that its first line names. */
export const isPartOf = (block: Block): boolean => {
  const program = withoutIndent(read(findShownFile(block) ?? ''))
  return program.includes(withoutIndent(block.text.replace(/^.*\n/, '')))
}
