import type { HttpMessage } from '@jwt-auth/test-support/http-client'

/** Bodies that a route which reads no body must ignore. */
export const unreadBodies: readonly (HttpMessage & { readonly name: string })[] = [
  { name: 'no body' },
  { name: 'an empty body', body: '' },
  { name: 'an empty object', headers: { 'Content-Type': 'application/json' }, body: '{}' },
  { name: 'null', headers: { 'Content-Type': 'application/json' }, body: 'null' },
  { name: 'broken JSON', headers: { 'Content-Type': 'application/json' }, body: '{' },
  { name: 'a form', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=b' },
  { name: 'plain text', headers: { 'Content-Type': 'text/plain' }, body: 'hello' },
  { name: 'a body without a type', body: '{}' },
  { name: 'a body over the limit', headers: { 'Content-Type': 'application/json' }, body: ' '.repeat(20_000) },
  { name: 'a chunked body', headers: { 'Content-Type': 'application/json' }, body: '{}', chunked: true },
]
