export { JwtAuthInstrumentation, type JwtAuthInstrumentationConfig } from './jwt-auth-instrumentation.js'
