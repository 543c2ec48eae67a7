import { startApplication } from './start-application.js'

await startApplication({ secret: process.env['JWT_AUTH_SECRET'] ?? '', port: 3000, metricsPort: 9464 })
