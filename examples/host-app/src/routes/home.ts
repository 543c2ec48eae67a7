import { Router } from 'express'
import { demoUsers } from '../accounts.js'

/** Creates `GET /`, a page that lists the demo users and the routes. The page has no script and no style, and sends no further request. */
export const homeRoute = (basePath: string): Router => {
  const router = Router()
  const page = renderPage(basePath)
  router.get('/', (_req, res) => {
    res.set(headers).type('html').send(page)
  })
  return router
}

const headers = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

const routes = [
  ['GET', '/', 'this page'],
  ['GET', '/health', 'whether the application runs'],
  ['POST', '/jwt-auth/v1/token', 'exchanges a user name and a password for an access token and a refresh token'],
  ['POST', '/jwt-auth/v1/token/refresh', 'exchanges a refresh token for a new pair of tokens'],
  ['POST', '/jwt-auth/v1/refresh', 'the same at a shorter path'],
  ['POST', '/jwt-auth/v1/token/validate', 'checks an access token'],
  ['POST', '/jwt-auth/v1/validate', 'the same at a shorter path'],
  ['POST', '/jwt-auth/v1/token/revoke', 'ends the session of an access token, as a logout does'],
  ['GET', '/jwt-auth/v1/me', 'the user of an access token'],
  ['GET', '/api/reports', 'guarded: content for users only'],
  ['GET', '/api/greeting', 'open to everybody, and greets a user by name'],
  ['GET', '/wp/v2/users/me', 'guarded: the user, at the path that some clients expect'],
  ['GET', '/api/sessions', 'guarded: the active sessions of the user'],
  ['DELETE', '/api/sessions/:id', 'guarded: ends one of these sessions'],
  ['PUT', '/api/account/password', 'guarded: changes the password, ends all sessions and responds like a login'],
  ['DELETE', '/api/account', 'guarded: deletes the account, given its password, and ends its sessions'],
] as const

const renderPage = (basePath: string): string => `<!doctype html>
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
${demoUsers.map(({ username, password }) => `<li>${username}, password <code>${password}</code></li>`).join('\n')}
</ul>
<p>Changed passwords and deleted accounts stay so after a restart. To start afresh, stop the application and delete its database,
by default the folder <code>examples/host-app/data</code>.</p>
<h2>Routes</h2>
<ul>
${routes.map(([method, path, purpose]) => `<li><code>${method} ${basePath}${path}</code>: ${purpose}</li>`).join('\n')}
</ul>
</main>
</body>
</html>
`
