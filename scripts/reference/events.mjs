import ts from 'typescript'
import { findDeclaration, findDoc, findMembers, findTexts, toText, wrap } from './doc-comments.mjs'

const flatten = (type) => {
  if (ts.isParenthesizedTypeNode(type)) return flatten(type.type)
  return ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type) ? type.types.flatMap(flatten) : [type]
}

const namesOf = (type) => flatten(type).map(({ literal }) => literal.text)

/** Returns the members of a variant: its own, and those of the types that it extends. */
const listMembers = (variant) =>
  flatten(variant).flatMap((part) => (ts.isTypeLiteralNode(part) ? part.members : findMembers(part.typeName.text)))

const describeMember = (member) => {
  const texts = findTexts(member.type).map((text) => `\`${text}\``)
  const values = texts.length > 0 && texts.length < 10 ? ` One of ${texts.join(', ')}.` : ''
  return wrap(`- **\`${member.name.text}\`**: ${toText(findDoc(member)?.comment)}${values}`, '  ')
}

const describeMembers = (members) => members.map(describeMember).join('\n')

const toEvent = (variant) => {
  const members = listMembers(variant)
  const type = members.find(({ name }) => name.text === 'type')
  const others = members.filter(({ name }) => name.text !== 'type' && name.text !== 'at')
  const names = namesOf(type.type).map((name) => `\`${name}\``)
  return `## ${names.join(', ')}

${wrap(toText(findDoc(type)?.comment))}

${describeMembers(others)}
`
}

const [, variants] = findDeclaration('packages/core/src/events/auth-event.ts', 'AuthEvent').type.types

const toChannel = (property) => {
  const { arguments: names, typeArguments } = property.initializer
  const message = typeArguments[0].typeName.text
  return [
    `### \`jwt-auth:${names[0].text}\``,
    wrap(toText(findDoc(property)?.comment)),
    ...(message === 'TracedCall' ? [] : [describeMembers(findMembers(message))]),
  ].join('\n\n')
}

const calls = findDeclaration('packages/core/src/tracing.ts', 'calls')
const limitChannel = findDeclaration('packages/core/src/tracing.ts', 'limitChannel')

const reasons = findDeclaration('packages/core/src/session/end-reason.ts', 'endReasons').initializer.expression
const toReason = ({ name, initializer }) => wrap(`- **\`${name.text}\`**: ${initializer.text}`, '  ')

export const events = `# Events and tracing channels

\`onEvent\` receives [the events](../guide/operation.md#log-what-happens). Each has a \`type\`, which is
the heading here, and \`at\`, a \`Date\` by the clock of the instance where it happened.

${variants.type.types.map(toEvent).join('\n')}
## Reasons

A session that has ended has one of these reasons, or the reason that you passed to
\`sessions.revokeAll\`.

${reasons.properties.map(toReason).join('\n')}

## Tracing channels

${wrap(toText(findDoc(calls)?.comment))}

${describeMembers(findMembers('TracedCall'))}

${calls.initializer.properties.map(toChannel).join('\n\n')}

### \`${limitChannel.initializer.arguments[0].text}\`

${wrap(toText(findDoc(limitChannel)?.comment))}
`
