/** All characters with case are below this: the basic plane and the one after it. */
const END = 0x2_0000;

let table: ReadonlyMap<string, readonly string[]> | undefined;

/**
 * The characters that differ from `character` at most in case, itself among them, by Unicode's simple case folding: one
 * character for one, so `ß` is not `ss`. The same for every database, whatever its locale makes of `lower()`.
 */
export function caseVariants(character: string): readonly string[] {
  table ??= variantTable();
  return table.get(character) ?? [character];
}

/** Made on first use: 30 ms. */
function variantTable(): Map<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (let code = 0; code < END; code++) {
    const character = String.fromCodePoint(code);
    const folded = fold(character);
    if (folded !== character) groups.set(folded, [...(groups.get(folded) ?? [folded]), character]);
  }
  return new Map([...groups.values()].flatMap((group) => group.map((each) => [each, group] as const)));
}

function fold(character: string): string {
  // The dotless i has a capital in common with the dotted one, yet no folding: only Turkish takes them for one letter.
  if (character === "ı") return character;
  return single(single(character, "toUpperCase"), "toLowerCase");
}

/** The other case where that is one character too. */
function single(character: string, change: "toLowerCase" | "toUpperCase"): string {
  const changed = character[change]();
  return changed.length === String.fromCodePoint(changed.codePointAt(0) ?? 0).length ? changed : character;
}
