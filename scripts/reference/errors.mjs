import { findDeclaration, findDoc, toParagraphs, wrap } from './doc-comments.mjs'

const { properties } = findDeclaration('packages/core/src/errors/error-table.ts', 'errorTable').initializer.expression

const toErrorSection = (row) => {
  const [status, message] = row.initializer.arguments
  const [meaning, client] = toParagraphs(findDoc(row)?.comment)
  return `## \`${row.name.getText()}\`

**${status.getText()}** \`${message.text}\`

${wrap(meaning)}

${wrap(client.replace('Client:', '**Client:**'))}
`
}

export const errors = `# Errors

Each error response has one of these codes ([its form](../http-api.md#errors)). The reports of
\`onError\` and on stderr end with the address of their code on this page.

${properties.map(toErrorSection).join('\n')}`
