import { forbid } from './style-rules.ts'

/** A database transaction is `tx: Tx`. The word `transaction` is left to the business object. */
export const databaseTransactionNames = forbid(
  'code',
  new RegExp(
    [
      String.raw`\btransaction\s*\??:\s*(?:Queryable|Database|Tx)\b`,
      String.raw`\btransaction\s*\.\s*query\b`,
      String.raw`\bdatabase\s*\.\s*transaction\s*[(<]`,
      String.raw`\binTx\s*(?:<[^()]*>)?\(\s*(?:async\s*)?\(?\s*transaction\b`,
      String.raw`\b(?!tx\b|\w+Tx\b)\w+\s*\??:\s*Tx\b`,
      String.raw`\btx\s*\??:\s*(?:Queryable|Database)\b`,
    ].join('|'),
    'g',
  ),
  'a database transaction is "tx" of type Tx, and a transaction is a payment',
)

/** A function that builds a service, an adapter or a part of one is called `createX`. */
export const factoryNames = forbid(
  'code',
  /\bexport\s+(?:async\s+)?(?:function\s*\*?|const|let)\s*make[A-Z]\w*|\bexport\s*\{[^}]*\bmake[A-Z]\w*/g,
  'call it createX, as every factory is; a value that is not built but computed is named by its own verb',
  (file) => file.path.startsWith('src/'),
)

/** A service takes one object, so that wiring names each part. */
export const serviceFactories = forbid(
  'code',
  /\bexport\s+(?:async\s+)?function\s+create\w*Service\s*\(\s*(?!deps\b|\{)\w+/g,
  'build a service from one object of named deps: createXService(deps)',
  (file) => file.path.startsWith('src/'),
)
