export { djangoHasher, firebaseHasher, phpassHasher, scryptHasher } from '@jwt-auth/passwords/legacy-hashers'
