// Returns the configuration that a test set.
export default (): unknown => Reflect.get(globalThis, 'jwtAuthCliConfig')
