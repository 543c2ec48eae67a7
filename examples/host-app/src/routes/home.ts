import { Router } from 'express'
import { demoUsers } from '../accounts.js'
import type { HostEnvironment } from '../environment.js'
import { sendPage } from './page.js'

/** The default of jwt-auth. */
const defaultGraceSeconds = 30

type HomeOptions = Pick<HostEnvironment, 'basePath' | 'otherInstance' | 'refreshGraceSeconds'>

/**
 * Creates `GET /`. A browser receives the page. Other clients receive the list of the users and the routes, which has no script and no
 * style.
 */
export const homeRoute = ({ basePath, otherInstance = '', refreshGraceSeconds }: HomeOptions): Router => {
  const router = Router()
  const list = renderList(basePath)
  const page = sendPage({
    users: renderUsers(),
    routes: renderRoutes(basePath),
    settings: `<meta name="refresh-grace-seconds" content="${refreshGraceSeconds ?? defaultGraceSeconds}">
<meta name="other-instance" content="${otherInstance}">`,
  })
  router.get('/', async (req, res) => {
    res.vary('Accept')
    // Of two types that a client accepts alike, as curl does, the first one is chosen.
    if (req.accepts(['text/plain', 'text/html']) === 'text/html') await page(req, res)
    else res.set(headers).type('html').send(list)
  })
  return router
}

const headers = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

const routes = [
  ['GET', '/', 'for browsers, a page to try everything; for other clients, this list'],
  ['GET', '/health', 'whether the application runs'],
  ['GET', '/openapi.json', 'the OpenAPI document of the routes of jwt-auth'],
  ['GET', '/docs/', 'the same document in Swagger UI'],
  ['POST', '/jwt-auth/v1/token', 'exchanges a user name and a password for an access token and a refresh token'],
  ['POST', '/jwt-auth/v1/token/refresh', 'exchanges a refresh token for a new pair of tokens'],
  ['POST', '/jwt-auth/v1/refresh', 'the same at a shorter path'],
  ['POST', '/jwt-auth/v1/token/validate', 'checks an access token'],
  ['POST', '/jwt-auth/v1/validate', 'the same at a shorter path'],
  ['POST', '/jwt-auth/v1/token/revoke', 'ends the session of an access token, as a logout does'],
  ['GET', '/jwt-auth/v1/me', 'the user of an access token'],
  ['GET', '/jwt-auth/v1/sessions', 'the active sessions of the user of an access token'],
  ['DELETE', '/jwt-auth/v1/sessions/:id', 'ends one of these sessions'],
  ['GET', '/api/reports', 'guarded: content for users only'],
  ['GET', '/api/greeting', 'open to everybody, and greets a user by name'],
  ['GET', '/wp/v2/users/me', 'guarded: the user, at the path that some clients expect'],
  ['GET', '/api/sessions/:id', 'guarded: when and why a session of the user ended'],
  ['PUT', '/api/account/password', 'guarded: changes the password, ends all sessions and responds like a login'],
  ['DELETE', '/api/account', 'guarded: deletes the account, given its password, and ends its sessions'],
  ['POST', '/api/other-instance/revoke', 'guarded: ends the session on another instance (OTHER_INSTANCE)'],
] as const

const renderUsers = (): string =>
  demoUsers.map(({ username, password }) => `<li>${username}, password <code>${password}</code></li>`).join('\n')

const renderRoutes = (basePath: string): string =>
  routes.map(([method, path, purpose]) => `<li><code>${method} ${basePath}${path}</code>: ${purpose}</li>`).join('\n')

const renderList = (basePath: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>jwt-auth example</title>
</head>
<body>
<main>
<h1>jwt-auth example</h1>
<p>An application whose routes are guarded by jwt-auth. The terminal it runs in shows curl commands to try.</p>
<h2>Demo users</h2>
<ul>
${renderUsers()}
</ul>
<p>Changed passwords and deleted accounts stay so after a restart. To start afresh, stop the application and delete its database,
by default the folder <code>examples/host-app/data</code>.</p>
<h2>Routes</h2>
<ul>
${renderRoutes(basePath)}
</ul>
</main>
</body>
</html>
`
