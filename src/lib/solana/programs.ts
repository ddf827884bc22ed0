/** The programs that our transactions call. Their addresses are the same on every cluster. */
export const programs = {
  system: '11111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  associatedToken: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  computeBudget: 'ComputeBudget111111111111111111111111111111',
} as const

/** Lamports in one SOL. */
export const lamportsPerSol = 1_000_000_000n

/** The rent of a token account, which its creator pays: that of 165 bytes. */
export const tokenAccountRent = 2_039_280n

/** The fee of one signature, in lamports. */
export const signatureFee = 5_000n
