import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..')

/** An import, a re-export or an `import()` of a source file. */
export interface SourceImport {
  readonly specifier: string
  /** The path from the root of the file that a relative specifier names; `undefined` for other specifiers. */
  readonly target: string | undefined
  readonly names: readonly string[]
  /** Whether the import contains only types. */
  readonly isTypeOnly: boolean
  /** `path:line`, for messages. */
  readonly place: string
}

/** A TypeScript file below `src` of a workspace. */
export interface Source {
  /** The path from the root, with slashes: `packages/core/src/keys/signer.ts`. */
  readonly path: string
  /** `packages/core`. */
  readonly workspace: string
  /** The path below `src`: `keys/signer.ts`. */
  readonly inner: string
  readonly tree: ts.SourceFile
  readonly imports: readonly SourceImport[]
}

/** Returns `path:line` of a node. */
const placeOf = (node: ts.Node): string => {
  const tree = node.getSourceFile()
  return `${tree.fileName}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
}

const listFolders = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`)

const workspaces = ['packages', 'internal', 'examples'].flatMap(listFolders)

const listSources = (workspace: string): readonly Source[] => {
  const folder = join(root, workspace, 'src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((inner) => readSource(workspace, inner))
}

const readSource = (workspace: string, inner: string): Source => {
  const path = `${workspace}/src/${inner}`
  const text = readFileSync(join(root, path), 'utf8')
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const imports = [
    ...tree.statements.flatMap((statement) => readImport(tree, statement)),
    ...tree.statements.flatMap(readDynamicImports),
  ]
  return { path, workspace, inner, tree, imports }
}

const readDynamicImports = (node: ts.Node): readonly SourceImport[] => {
  const within: SourceImport[] = []
  ts.forEachChild(node, (child) => {
    within.push(...readDynamicImports(child))
  })
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return within
  const [argument] = node.arguments
  if (argument === undefined || !ts.isStringLiteral(argument)) return within
  const specifier = argument.text
  const target = targetOf(node.getSourceFile(), specifier)
  return [...within, { specifier, target, names: [], isTypeOnly: false, place: placeOf(node) }]
}

const targetOf = (tree: ts.SourceFile, specifier: string): string | undefined =>
  specifier.startsWith('.')
    ? relative(root, resolve(root, dirname(tree.fileName), specifier))
        .split(sep)
        .join('/')
        .replace(/\.js$/, '.ts')
    : undefined

const readImport = (tree: ts.SourceFile, statement: ts.Statement): readonly SourceImport[] => {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return []
  const { moduleSpecifier } = statement
  if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return []
  const specifier = moduleSpecifier.text
  return [
    {
      specifier,
      target: targetOf(tree, specifier),
      names: namesOf(statement),
      isTypeOnly: isTypeOnly(statement),
      place: placeOf(statement),
    },
  ]
}

const elementsOf = (statement: ts.ImportDeclaration | ts.ExportDeclaration): readonly ts.Node[] => {
  const clause = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : statement.exportClause
  return clause !== undefined && (ts.isNamedImports(clause) || ts.isNamedExports(clause)) ? clause.elements : []
}

// Without the types of an import that also imports values.
const namesOf = (statement: ts.ImportDeclaration | ts.ExportDeclaration): readonly string[] =>
  elementsOf(statement).flatMap((element) =>
    (ts.isImportSpecifier(element) || ts.isExportSpecifier(element)) && !element.isTypeOnly
      ? (element.propertyName ?? element.name).text
      : [],
  )

const isTypeOnly = (statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
  if (ts.isExportDeclaration(statement) && statement.isTypeOnly) return true
  if (ts.isImportDeclaration(statement) && statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
    return true
  if (ts.isImportDeclaration(statement) && statement.importClause?.name !== undefined) return false
  const elements = elementsOf(statement)
  return (
    elements.length > 0 &&
    elements.every((element) => (ts.isImportSpecifier(element) || ts.isExportSpecifier(element)) && element.isTypeOnly)
  )
}

/** All source files of packages and examples. */
export const sources: readonly Source[] = workspaces.flatMap(listSources)

/** Returns `path:line` and the text of all nodes that match. */
export const findNodes = (among: readonly Source[], isMeant: (node: ts.Node) => boolean): readonly string[] => {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (isMeant(node)) found.push(`${placeOf(node)} ${node.getText().split('\n', 1)[0]?.slice(0, 80)}`)
    ts.forEachChild(node, visit)
  }
  for (const { tree } of among) visit(tree)
  return found
}

/** Returns the lines of a source file. */
export const linesOf = ({ tree }: Source): readonly string[] => tree.text.split('\n')
