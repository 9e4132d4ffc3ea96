const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The ids that can be ids at all, as the database writes them; any other is an unknown memory, not an error. */
export function usableIds(ids: readonly string[]): string[] {
  return ids.flatMap((id) => usableId(id) ?? []);
}

/** {@link usableIds} for one id; undefined for one that cannot be an id. */
export function usableId(id: string): string | undefined {
  return UUID.test(id) ? id.toLowerCase() : undefined;
}
