import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** The public API of one published package, from all of its entry points. */
export interface Surface {
  readonly name: string
  /** What the entry points export, after following re-exports to the declarations. */
  readonly exported: ReadonlySet<ts.Symbol>
  /**
   * What the exports and their signatures name, declared in any package of this repository. With
   * the first place that names it.
   */
  readonly reachable: ReadonlyMap<ts.Symbol, string>
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Reads the TypeScript sources of entry points, and returns the public API of each package and the
 * checker of its types.
 */
export const readSurfaces = (
  entryPoints: ReadonlyMap<string, readonly string[]> = findEntryPoints(),
): { readonly surfaces: readonly Surface[]; readonly checker: ts.TypeChecker } => {
  const { config } = ts.readConfigFile(`${root}tsconfig.base.json`, ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const program = ts.createProgram([...entryPoints.values()].flat(), options)
  const checker = program.getTypeChecker()
  const surfaces = [...entryPoints].map(([name, paths]) => {
    const exported = new Set(paths.flatMap((path) => readExports(program, path)))
    return { name, exported, reachable: findReachable(checker, exported) }
  })
  return { surfaces, checker }
}

/**
 * Returns the source files of the entry points of each published package, by the name of the
 * package.
 */
const findEntryPoints = (): ReadonlyMap<string, readonly string[]> =>
  new Map(
    readdirSync(`${root}packages`).map((folder) => {
      const { name, exports } = JSON.parse(readFileSync(`${root}packages/${folder}/package.json`, 'utf8'))
      const sources = Object.entries<{ readonly '@jwt-auth/source'?: string }>(exports)
        .filter(([subpath]) => !subpath.startsWith('./internal'))
        .flatMap(([, conditions]) => conditions['@jwt-auth/source'] ?? [])
      return [name, sources.map((source) => `${root}packages/${folder}/${source.slice(2)}`)]
    }),
  )

const readExports = (program: ts.Program, path: string): readonly ts.Symbol[] => {
  const file = program.getSourceFile(path)
  if (file === undefined) throw new Error(`no file ${path}`)
  const checker = program.getTypeChecker()
  const symbol = checker.getSymbolAtLocation(file)
  return symbol === undefined ? [] : checker.getExportsOfModule(symbol).map((found) => followAlias(checker, found))
}

const followAlias = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)

const findReachable = (checker: ts.TypeChecker, exported: ReadonlySet<ts.Symbol>): ReadonlyMap<ts.Symbol, string> => {
  const reachable = new Map<ts.Symbol, string>()
  const visit = (symbol: ts.Symbol, from: string): void => {
    if (reachable.has(symbol) || !isOurs(symbol)) return
    reachable.set(symbol, from)
    for (const declaration of symbol.declarations ?? []) {
      for (const named of namedBy(checker, declaration)) visit(named, symbol.name)
    }
  }
  for (const symbol of exported) visit(symbol, 'an entry point')
  return reachable
}

const isOurs = (symbol: ts.Symbol): boolean =>
  (symbol.flags & ts.SymbolFlags.TypeParameter) === 0 &&
  (symbol.declarations ?? []).some((declaration) => isSource(declaration.getSourceFile().fileName))

const isSource = (path: string): boolean => path.startsWith(root) && !path.includes('/node_modules/')

const namedBy = (checker: ts.TypeChecker, declaration: ts.Node): readonly ts.Symbol[] => {
  const symbols: ts.Symbol[] = []
  const visit = (node: ts.Node): void => {
    const name = readName(node)
    const symbol = name && checker.getSymbolAtLocation(name)
    if (symbol !== undefined) symbols.push(followAlias(checker, symbol))
    for (const part of signatureParts(node)) visit(part)
  }
  visit(declaration)
  return symbols
}

/** Returns the name that a type refers to. */
const readName = (node: ts.Node): ts.Node | undefined => {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  if (ts.isTypeQueryNode(node)) return node.exprName
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined
}

/**
 * Returns the parts of a node that are visible to callers: no bodies, no values, nothing private.
 */
const signatureParts = (node: ts.Node): readonly ts.Node[] => {
  if (isPrivate(node)) return []
  if (ts.isVariableDeclaration(node)) return node.type === undefined ? definedBy(node.initializer) : [node.type]
  if (ts.isFunctionLike(node)) return [...(node.typeParameters ?? []), ...node.parameters, ...definedBy(node.type)]
  if (ts.isParameter(node) || ts.isPropertyDeclaration(node)) return definedBy(node.type)
  const parts: ts.Node[] = []
  ts.forEachChild(node, (child) => {
    if (ts.isTypeNode(child) || ts.isTypeElement(child) || ts.isClassElement(child) || isWrapper(child))
      parts.push(child)
  })
  return parts
}

const definedBy = (node: ts.Node | undefined): readonly ts.Node[] => (node === undefined ? [] : [node])

const isWrapper = (node: ts.Node): boolean => ts.isHeritageClause(node) || ts.isTypeParameterDeclaration(node)

const isPrivate = (node: ts.Node): boolean =>
  ts.isClassElement(node) &&
  ((node.name !== undefined && ts.isPrivateIdentifier(node.name)) ||
    (ts.canHaveModifiers(node) &&
      (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)))
