interface StoredClaim {
  readonly about: string;
  readonly stated: string;
  readonly finding: string;
  readonly by: readonly string[];
  readonly says: string;
}

export interface LockWithClaims {
  readonly subject: string;
  readonly date: string;
  readonly claims: readonly StoredClaim[];
}

export function merged(
  before: readonly LockWithClaims[],
  claims: readonly (StoredClaim & { readonly subject: string })[],
  date: string,
): readonly LockWithClaims[];
export function tableOf(locks: readonly LockWithClaims[]): string;
export function withTable(page: string, table: string): string;
