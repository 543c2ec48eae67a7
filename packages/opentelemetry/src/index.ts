export { JwtAuthInstrumentation } from './jwt-auth-instrumentation.js'
