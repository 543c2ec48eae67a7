import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { JwtAuth } from '@jwt-auth/express'
import { openApiDocument } from '@jwt-auth/express/openapi'
import express, { Router } from 'express'
import { demoUsers } from './accounts.js'
import type { HostEnvironment } from './environment.js'

const toPath = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/**
 * Creates `GET /` with its files below `/page`, the OpenAPI document of the routes of jwt-auth, and
 * `/docs/`, which shows the document in Swagger UI. A browser receives the page, other clients a list.
 */
export const pageRoutes = (auth: JwtAuth, environment: HostEnvironment): Router => {
  const { basePath, otherInstance = '', lifetimes } = environment
  const document = openApiDocument(auth, { servers: [basePath === '' ? '/' : basePath] })
  const authRoutes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => [method.toUpperCase(), path, Object(operation).summary]),
  )
  // HTML by the names of comments such as `<!-- routes -->`.
  const parts: Readonly<Record<string, string>> = {
    users: demoUsers
      .map(({ username, password }) => `<li>${username}, password <code>${password}</code></li>`)
      .join('\n'),
    routes: [...routes, ...authRoutes]
      .map(([method, path, purpose]) => `<li><code>${method} ${basePath}${path}</code>: ${purpose}</li>`)
      .join('\n'),
    settings: `<meta name="refresh-grace-seconds" content="${lifetimes.refreshGraceSeconds ?? 30}">
<meta name="other-instance" content="${otherInstance}">`,
  }
  const router = Router()

  const render = async (name: string): Promise<string> => {
    const template = await readFile(toPath(`../public/${name}`), 'utf8')
    return template.replaceAll(/<!-- (\w+) -->/g, (_, part) => parts[part] ?? '')
  }
  router.get('/', async (req, res) => {
    res.vary('Accept').type('html')
    // Of two types that a client accepts alike, as curl does, the first one is chosen.
    if (req.accepts(['text/plain', 'text/html']) !== 'text/html') {
      return void res.set(listHeaders).send(await render('list.html'))
    }
    const [path = ''] = req.originalUrl.split('?')
    // The addresses of the page are relative.
    if (!path.endsWith('/')) return res.redirect(`${path.slice(path.lastIndexOf('/') + 1)}/`)
    res.set(pageHeaders).send(await render('index.html'))
  })
  // The files that the package publishes, even when Node runs the sources of the other packages.
  router.use('/page/client', serveFiles('../node_modules/@jwt-auth/client/dist', fileHeaders))
  router.use('/page', serveFiles('../public', fileHeaders))

  router.get('/openapi.json', (_req, res) => {
    res.json(document)
  })
  router.get('/docs/swagger-initializer.js', (_req, res) => {
    res.type('js').send("SwaggerUIBundle({ url: '../openapi.json', dom_id: '#swagger-ui' })\n")
  })
  router.use('/docs', serveFiles('../node_modules/swagger-ui-dist', swaggerHeaders))
  return router
}

const serveFiles = (folder: string, headers: Readonly<Record<string, string>>) =>
  express.static(toPath(folder), { setHeaders: (res) => res.set(headers) })

const fileHeaders = { 'X-Content-Type-Options': 'nosniff' }

// The list runs and loads nothing.
const listHeaders = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  ...fileHeaders,
}

// Files of this origin only, and neither inline scripts nor inline styles. No form is sent by the browser itself.
const pageHeaders = {
  ...listHeaders,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  // No page of another origin can hold a reference to this one, and receive its key.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
}

// Swagger UI sets inline styles.
const swaggerHeaders = {
  'Content-Security-Policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
  ...fileHeaders,
}

const routes = [
  ['GET', '/', 'for browsers, a page to try everything; for other clients, this list'],
  ['GET', '/health', 'whether the application runs'],
  ['GET', '/openapi.json', 'the OpenAPI document of the routes of jwt-auth'],
  ['GET', '/docs/', 'the same document in Swagger UI'],
  ['GET', '/api/reports', 'guarded: content for users only'],
  ['GET', '/api/greeting', 'open to everybody, and greets a user by name'],
  ['GET', '/wp/v2/users/me', 'guarded: the user, at the path that some clients expect'],
  ['GET', '/api/sessions/:id', 'guarded: when and why a session of the user ended'],
  ['PUT', '/api/account/password', 'guarded: changes the password, ends all sessions and responds like a login'],
  ['DELETE', '/api/account', 'guarded: deletes the account, given its password, and ends its sessions'],
  ['POST', '/api/other-instance/revoke', 'guarded: ends the session on another instance (OTHER_INSTANCE)'],
] as const
