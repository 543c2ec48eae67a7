import type { HttpResponse } from '@jwt-auth/test-support/http-client'
import { parseJson, parseObject, readMember } from '@jwt-auth/test-support/read-json'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { jwtAuth } from '../../src/index.js'
import { openApiDocument } from '../../src/openapi.js'
import { createGatedStorage } from './gated-storage.js'
import { createTestUsers } from './test-users.js'

const auth = jwtAuth({
  secret: testSecret,
  issuer: 'https://api.example.com',
  users: createTestUsers(),
  storage: createGatedStorage().port,
  cookies: true,
  sessionRoutes: true,
  dpop: { bind: 'all-tokens' },
})

// Clients accept members that the document lacks. Here each of them is a mistake in the document.
const refuseOthers = (_: string, value: unknown): unknown =>
  Array.isArray(readMember(value, 'required')) ? Object.assign({}, value, { additionalProperties: false }) : value

const text = JSON.stringify(openApiDocument(auth), refuseOthers)
const document = parseObject(text.replaceAll('"$ref":"#/', '"$ref":"document#/'))

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(document, 'document')

/**
 * Asserts that the OpenAPI document describes a response of the service: its status, its headers and its body. Ignores responses
 * of the application, and paths and methods that the document lacks.
 */
export const expectDocumented = (method: string, path: string, { status, headers, text }: HttpResponse): void => {
  const documentedPath = path.replace(/(?<=\/sessions\/).+$/, '{id}')
  const operation = readMember(document, 'paths', documentedPath, (method === 'HEAD' ? 'GET' : method).toLowerCase())
  if (operation === undefined || headers['cache-control'] !== 'no-store') return
  const response = readMember(operation, 'responses', String(status))
  // A guard in front of the routes responds with 401.
  const hasToken = readMember(response, '$ref') !== undefined
  if (status === 401 && !hasToken && text.includes('jwt_auth_no_auth_header')) return
  const documented = hasToken ? unauthorized : response
  for (const [name, header] of Object.entries(readMember(documented, 'headers') ?? {})) {
    const pattern = readMember(header, 'schema', 'pattern')
    if (typeof pattern === 'string') expect(headers[name.toLowerCase()]).toMatch(new RegExp(pattern))
  }
  if (method !== 'HEAD') expect(listErrors(documented, text), `${method} ${path} ${status} ${text}`).toBe('No errors')
}

const unauthorized = readMember(document, 'components', 'responses', 'Unauthorized')

const listErrors = (documented: unknown, body: string): string => {
  if (documented !== undefined && body === '' && readMember(documented, 'content') === undefined) return 'No errors'
  const schema = readMember(documented, 'content', 'application/json', 'schema')
  if (typeof schema !== 'object' || schema === null) return 'The document lacks the status.'
  const validate = ajv.compile(schema)
  return validate(parseJson(body)) ? 'No errors' : ajv.errorsText(validate.errors)
}
