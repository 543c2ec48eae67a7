export { djangoHasher } from './legacy/django.js'
export { firebaseHasher } from './legacy/firebase.js'
export { phpassHasher } from './legacy/phpass.js'
export { scryptHasher } from './legacy/scrypt.js'
