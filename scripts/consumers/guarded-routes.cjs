// A test for jest, which loads the packages in a context of its own.
const { attackRoutes, createTestAuth, expectRoutesGuarded, headersFor } = require('@jwt-auth/testing')
const express = require('express')

const auth = createTestAuth({ users: [{ id: 1, email: 'ann@example.com' }] })
const app = express()
app.get('/reports', auth.guard(), (req, res) => res.json(auth.getAuth(req).userId))

/** Sends a request without a user, and a request of a signed-in user. */
const sendBoth = async () => {
  const server = app.listen(0)
  const url = `http://localhost:${server.address().port}/reports`
  const responses = [await fetch(url), await fetch(url, { headers: await headersFor(auth, 1) })]
  server.closeAllConnections()
  server.close()
  return responses.map(({ status }) => status)
}

test('a guard lets signed-in users pass', async () => expect(await sendBoth()).toEqual([401, 200]))

test('a guard refuses bad credentials', () => attackRoutes(app, { auth, userId: 1 }))

test('an unguarded route is found', () => {
  expectRoutesGuarded(app)
  app.get('/health', (_req, res) => res.json({}))
  expectRoutesGuarded(app, { except: ['GET /health'] })
  expect(() => expectRoutesGuarded(app)).toThrow('GET /health')
})
