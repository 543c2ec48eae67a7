import ts from 'typescript'
import type { Surface } from './public-surface.js'

/**
 * Finds exports and members without a doc comment, examples without a fence, and links that cannot
 * be resolved.
 */
export const findCommentProblems = ({ reachable }: Surface, checker: ts.TypeChecker): readonly string[] =>
  [...reachable.keys()].flatMap((symbol) =>
    (symbol.declarations ?? [])
      .filter(isVisible)
      .flatMap((declaration) => [
        ...checkComment(symbol.name, declaration, checker),
        ...membersOf(declaration).flatMap((member) =>
          checkComment(`${symbol.name}.${nameOf(member)}`, member, checker),
        ),
      ]),
  )

// Users see the overloads of a function, and not their implementation.
const isVisible = (declaration: ts.Declaration, _: number, all: readonly ts.Declaration[]): boolean =>
  !(all.length > 1 && ts.isFunctionDeclaration(declaration) && declaration.body !== undefined)

const checkComment = (name: string, node: ts.Node, checker: ts.TypeChecker): readonly string[] => {
  const parts = ts.getJSDocCommentsAndTags(node)
  if (parts.length === 0) return [`${name} has no comment`]
  const hasBareExample = ts.getJSDocTags(node).some((tag) => tag.tagName.text === 'example' && !isFenced(tag))
  return [
    ...(hasBareExample ? [`${name} has an example without a fence`] : []),
    ...parts
      .flatMap(findLinks)
      .filter((link) => link.name === undefined || checker.getSymbolAtLocation(link.name) === undefined)
      .map((link) => `${name} has a link that cannot be resolved: ${link.name?.getText() ?? link.text}`),
  ]
}

const isFenced = ({ comment }: ts.JSDocTag): boolean => ts.getTextOfJSDocComment(comment)?.includes('```') === true

const findLinks = (node: ts.Node): readonly ts.JSDocLink[] => {
  const links: ts.JSDocLink[] = []
  const visit = (child: ts.Node): void => {
    if (ts.isJSDocLink(child)) links.push(child)
    ts.forEachChild(child, visit)
  }
  visit(node)
  return links
}

/** Returns the public members of an interface, a class, or an alias of an object type. */
const membersOf = (declaration: ts.Node): readonly (ts.TypeElement | ts.ClassElement)[] => {
  if (ts.isInterfaceDeclaration(declaration)) return declaration.members
  if (ts.isClassDeclaration(declaration)) return declaration.members.filter(isPublicMember)
  if (!ts.isTypeAliasDeclaration(declaration) || !ts.isTypeLiteralNode(declaration.type)) return []
  return declaration.type.members
}

const isPublicMember = (member: ts.ClassElement): boolean =>
  !ts.isConstructorDeclaration(member) && !(member.name !== undefined && ts.isPrivateIdentifier(member.name))

const nameOf = (member: ts.TypeElement | ts.ClassElement): string => member.name?.getText() ?? '(call)'
