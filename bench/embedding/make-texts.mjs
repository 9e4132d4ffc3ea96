const WORDS = `anna moved to lisbon in spring and works at the old harbour now her brother keeps a green bicycle
in the shed behind our house they meet every second friday for dinner with friends from school the doctor said that
peanuts are dangerous for mia so we bake without them last winter was cold and the trains were late again`.split(/\s+/);

/** `count` different texts of `length` words, the first of them the text's number. */
export function makeTexts(count, length) {
  return Array.from({ length: count }, (_, text) =>
    Array.from({ length }, (_, word) =>
      word === 0 ? String(text) : WORDS[(text * 7 + word * (1 + (text % 5))) % WORDS.length],
    ).join(" "),
  );
}
