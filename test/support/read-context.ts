/** One memory as a reader of an injection text finds it. */
export interface ReadMemory {
  readonly citation: number;
  readonly eventAt: Date;
  readonly source: string | null;
  readonly content: string;
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/**
 * A strict reader of `injection_text`, written from its description alone. Throws on anything that is not
 * `<memories>`, a line of prose, `<memory citation event_at source?>` elements of text, and `</memories>`.
 */
export function readContext(text: string): ReadMemory[] {
  if (text === "") return [];
  const reader = new Reader(text);
  reader.expect("<memories>\n");
  reader.until("\n");
  const memories: ReadMemory[] = [];
  while (reader.accept("<memory ")) {
    const attributes = readAttributes(reader);
    reader.expect("\n");
    const body = reader.until("<");
    reader.expect("/memory>\n");
    if (!body.endsWith("\n")) throw new Error("the text does not end with a line break");
    const { citation, event_at, source, ...others } = attributes;
    if (citation === undefined || event_at === undefined || Object.keys(others).length > 0) {
      throw new Error(`not the attributes of a memory: ${JSON.stringify(attributes)}`);
    }
    const content = unescape(body.slice(0, -1));
    memories.push({ citation: Number(citation), eventAt: new Date(event_at), source: source ?? null, content });
  }
  reader.expect("</memories>");
  reader.end();
  return memories;
}

function readAttributes(reader: Reader): Record<string, string> {
  const attributes: Record<string, string> = {};
  do {
    const name = reader.until("=");
    if (!/^[a-z_]+$/.test(name) || name in attributes) throw new Error(`not a new attribute: ${name}`);
    reader.expect('"');
    attributes[name] = unescape(reader.until('"'));
  } while (reader.accept(" "));
  reader.expect(">");
  return attributes;
}

function unescape(text: string): string {
  if (/[<>]/.test(text)) throw new Error(`a bracket in text: ${text}`);
  return text.replace(/&([^;&]*)(;?)/g, (_, name: string, end: string) => {
    const code = /^#x([0-9A-F]{1,6})$/.exec(name)?.[1];
    const character = code === undefined ? NAMED[name] : String.fromCodePoint(Number.parseInt(code, 16));
    if (character === undefined || end === "") throw new Error(`not a reference: &${name}`);
    return character;
  });
}

class Reader {
  #at = 0;
  constructor(private readonly text: string) {}

  accept(wanted: string): boolean {
    const found = this.text.startsWith(wanted, this.#at);
    if (found) this.#at += wanted.length;
    return found;
  }

  expect(wanted: string): void {
    if (!this.accept(wanted)) throw new Error(`not ${wanted} but ${this.text.slice(this.#at, this.#at + 40)}`);
  }

  /** Reads up to `end` and over it. */
  until(end: string): string {
    const stop = this.text.indexOf(end, this.#at);
    if (stop < 0) throw new Error(`no ${end} any more`);
    const read = this.text.slice(this.#at, stop);
    this.#at = stop + end.length;
    return read;
  }

  end(): void {
    if (this.#at < this.text.length) throw new Error(`more text: ${this.text.slice(this.#at)}`);
  }
}
