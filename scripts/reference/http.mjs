import { randomBytes } from 'node:crypto'
import { defaultNamespace } from '../../packages/core/src/internal.ts'
import { jwtAuth, passwordUsers } from '../../packages/express/src/index.ts'
import { openApiDocument } from '../../packages/express/src/openapi.ts'
import { memoryStorage } from '../../packages/storage-memory/src/index.ts'
import { wrap } from './doc-comments.mjs'

const find = async () => undefined

// With every option that adds a route or a header.
const auth = jwtAuth({
  secret: randomBytes(48),
  issuer: 'https://api.example.com',
  users: passwordUsers({ findByUsername: find, findById: find }),
  storage: memoryStorage({ quiet: true }),
  sessionRoutes: true,
  cookies: {},
  dpop: { bind: 'all-tokens' },
})
const { paths, components } = openApiDocument(auth)
await auth.close()

const code = (text) => `\`${text}\``
const nameOf = ({ $ref }) => $ref.replace(/^.*\//, '')
const toSchema = (response) => response.content?.['application/json'].schema

/** Returns the error codes of a response. */
const toCodes = (response) => {
  const schema = toSchema(response.$ref ? components.responses[nameOf(response)] : response)
  return schema?.allOf?.[1]?.properties.code.enum ?? []
}

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const [[status, success], ...failures] = Object.entries(operation.responses)
    return {
      ...operation,
      title: code(`${method.toUpperCase()} ${path.replace(defaultNamespace, '')}`),
      headers: (operation.parameters ?? []).filter((each) => each.in === 'header').map(({ name }) => code(name)),
      success: [status, toSchema(success)].map((each) =>
        each?.$ref ? `[${nameOf(each)}](#${nameOf(each).toLowerCase()})` : each,
      ),
      codes: failures.flatMap(([, failure]) => toCodes(failure)),
    }
  }),
)

/** Returns what every operation has. */
const findCommon = (member) =>
  operations[0][member].filter((each) => operations.every((operation) => operation[member].includes(each)))

const [commonCodes, commonHeaders] = [findCommon('codes'), findCommon('headers')]

const toLinks = (codes) => codes.map((each) => `[${code(each)}](errors.md#${each})`).join(', ')

const toItem = (title, texts) => (texts.length === 0 ? [] : [wrap(`- ${title}: ${texts.join(', ')}`, '  ')])

const toSection = ({ title, operationId, summary, security, headers, requestBody, success, codes }) => {
  const body = requestBody?.content['application/json'].schema.properties ?? {}
  const aliases = operations.filter((each) => each.operationId === `${operationId}Alias`)
  return `## ${title}

${summary}${aliases.map((alias) => `, like ${alias.title}`).join('')}.

${[
  ...toItem('Credential', security.some((each) => 'bearerAuth' in each) ? ['an access token'] : []),
  ...toItem('Body', Object.keys(body).map(code)),
  ...toItem(
    'Header',
    headers.filter((each) => !commonHeaders.includes(each)),
  ),
  ...toItem('Success', success.filter(Boolean)),
  ...toItem('Errors', [toLinks(codes.filter((each) => !commonCodes.includes(each)))]),
].join('\n')}
`
}

const sections = operations.filter(({ deprecated }) => !deprecated).map(toSection)

const toType = ({ type, const: value, enum: values, format }) => {
  const literals = (values ?? [value]).filter((each) => each !== undefined)
  if (literals.length > 0) return literals.map((each) => code(JSON.stringify(each))).join(' or ')
  return `${[type].flat().join(' or ')}${format ? ` (${format})` : ''}`
}

const toFields = ({ properties, items }) => {
  if (items) return toFields(items)
  return Object.entries(properties ?? {}).flatMap(([name, field]) => [
    wrap(`- ${code(name)}: ${toType(field)}${field.description ? `. ${field.description}` : ''}`, '  '),
    ...toFields(field).map((line) => line.replace(/^/gm, '  ')),
  ])
}

const toBody = ([name, schema]) => `### ${name}\n\n${toFields(schema).join('\n')}`

export const http = `# HTTP routes

These are the routes of [the OpenAPI document](../http-api.md), with the options \`cookies\`, \`dpop\`
and \`sessionRoutes\`. The paths are relative to the namespace, \`${defaultNamespace}\` by default.

${wrap(`Every route reads the header ${commonHeaders.join()} and can respond with ${toLinks(commonCodes)}.`)}

${sections.join('\n')}
## Bodies of responses

${Object.entries(components.schemas).map(toBody).join('\n\n')}
`
