import fastifyExpress from '@fastify/express'
import { claimEquals, jwtAuth } from '@jwt-auth/express'
import Fastify from 'fastify'
import { settings } from './settings.js'

const auth = jwtAuth(settings)

const app = Fastify()
await app.register(fastifyExpress)
app.use(auth)
app.use('/reports', auth.guard())
app.get('/reports', async (request) => ({ userId: auth.getAuth(request.raw).userId }))
app.use('/admin', auth.guard({ allow: claimEquals('role', 'admin') }))
app.get('/admin', async () => ({ role: 'admin' }))
app.get('/', async () => 'home')

await app.ready()
export const { server } = app
