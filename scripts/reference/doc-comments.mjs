import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../workspace.mjs'

const parse = (path) => ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)

const listSources = () =>
  readdirSync(join(root, 'packages')).flatMap((folder) => {
    const source = join(root, 'packages', folder, 'src')
    return readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(source, path))
  })

const statements = listSources().flatMap((path) => parse(path).statements)

/** Returns the declarations of one kind, by name. */
const listDeclarations = (isKind) =>
  new Map(statements.filter(isKind).map((declaration) => [declaration.name.text, declaration]))

const interfaces = listDeclarations(ts.isInterfaceDeclaration)
const aliases = listDeclarations(ts.isTypeAliasDeclaration)

/** Returns the doc comment of a declaration. */
export const findDoc = (node) => ts.getJSDocCommentsAndTags(node).find((found) => ts.isJSDoc(found))

/** Returns the paragraphs of a comment, with links to the pages that it names. */
export const toParagraphs = (comment) =>
  (ts.getTextOfJSDocComment(comment) ?? '')
    .replaceAll(/\{@link ([^}]+)\}/g, '`$1`')
    .replaceAll(/docs\/([\w/-]+)\.md(#[\w-]+)?/g, '[$1](../$1.md$2)')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim())

/** Returns a comment in one line. */
export const toText = (comment) => toParagraphs(comment).join(' ')

/** Breaks a paragraph, or an item of a list, at 100 columns. */
export const wrap = (text, indent = '') => {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length < 100) lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
    else lines.push(`${indent}${word}`)
  }
  return lines.join('\n')
}

/** Returns the members of an interface. */
export const findMembers = (name) => {
  const declaration = interfaces.get(name)
  if (declaration === undefined) throw new Error(`no interface ${name}`)
  return declaration.members
}

/** Returns the texts of a type that is a union of texts. */
export const findTexts = (type) => {
  const alias = type && ts.isTypeReferenceNode(type) ? aliases.get(type.typeName.text)?.type : undefined
  return alias && ts.isUnionTypeNode(alias) ? alias.types.flatMap(({ literal }) => literal?.text ?? []) : []
}

/** Returns the declaration of a variable or a type of a file. */
export const findDeclaration = (path, name) =>
  parse(join(root, path))
    .statements.flatMap((statement) =>
      ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement],
    )
    .find((declaration) => declaration.name?.getText() === name)
