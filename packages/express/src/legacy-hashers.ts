export {
  type DjangoHasherOptions,
  djangoHasher,
  type FirebaseHasherOptions,
  firebaseHasher,
  type PhpassHasherOptions,
  phpassHasher,
  type ScryptHasherOptions,
  scryptHasher,
} from '@jwt-auth/passwords/legacy-hashers'
