/** What was typed is not what the command takes. The message names the option and says what it takes. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
